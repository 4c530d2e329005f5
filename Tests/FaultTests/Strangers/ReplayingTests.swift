import FocusCore
import FocusSeal
import FocusSync
import IntegrationSupport
import Testing

extension FaultTests {
    @Suite("A member of another group")
    struct ReplayingTests {
        @Test("frames of one group that a device of another one sends change nothing, and bring it nothing")
        func replaying() throws {
            try World.with(["work", "home"]) { world in
                let (work, home) = (world.laptops[0], world.laptops[1])
                try work.press("start", "Work")
                try world.agree()
                try home.press("label", "Secret")
                let before = try world.agree()
                // A former member of the group could do this, or a person with a copy of its folder.
                let heard = try Heard(as: home, at: world.server, events: before.count)

                let foreign = world.laptop("foreign")
                try foreign.join(try world.server.invite())
                try foreign.startAgent()
                try foreign.press("start", "Foreign")
                let identity = try foreign.identity()
                try expectNothing(of: heard, identity, world.server)

                let forger = try forge(heard, identity, world.server)
                try world.expectPromptPresses(from: work, to: home, "Untouched")
                try world.expectPromptPresses(from: home, to: work, "Untouched still")
                try foreign.press("label", "Foreign, again")

                let log = try world.agree([work, home])
                #expect(Set(log).isSuperset(of: before))
                #expect(log.count == before.count + 6)
                #expect(!log.contains { $0.contains("Foreign") })
                let foreignLog = try world.agree([foreign])
                #expect(!foreignLog.contains { $0.contains("Secret") || $0.contains("Untouched") })
                #expect(foreignLog.count { $0.contains("Foreign") } == 2)
                // The laptops' next events follow these heads, so the server has no other events under their
                // replicas.
                let again = try Heard(as: home, at: world.server, events: log.count)
                #expect(Set(again.events).isSuperset(of: heard.events))
                withExtendedLifetime(forger) {}
            }
        }

        /// Expects that a device of another group receives nothing if it asks for these replicas.
        private func expectNothing(of heard: Heard, _ identity: DeviceIdentity, _ server: Server) throws {
            let replicas = heard.replicas
            let client = try TestClient(identity, to: server, saying: [.syncHello]) { message in
                guard case .welcome = message else { return [] }
                return [.have(Have())]
                    + replicas.flatMap { [.want($0, after: 0), .chainsAsked($0, at: [1])] }
            }
            try eventually("each question is answered") {
                client.peer.messages.count { if case .chains = $0 { true } else { false } } == replicas.count
            }
            for message in client.peer.messages {
                switch message {
                case .chains(_, let heads): #expect(heads == [])
                case .push(let segment): #expect(!replicas.contains(segment.replica))
                default: break
                }
            }
        }

        /// Uploads a group's events as a device of another group. First as they are, then with the other
        /// group's epoch, which the server can't tell from real events.
        private func forge(_ heard: Heard, _ identity: DeviceIdentity, _ server: Server) throws -> TestClient
        {
            let own = try Heard(as: identity, at: server, events: 1)
            let epoch = try #require(own.segments.first?.events.first { _ in true }?.epoch)
            let client = try TestClient(identity, to: server, saying: [.syncHello]) { message in
                guard case .welcome(let welcome) = message else { return [] }
                let forged = heard.bySegment.compactMap { events in
                    Segment(
                        events.map {
                            SealedEvent(id: $0.id, stamp: $0.stamp, epoch: epoch, body: $0.body)
                        }, chainBefore: .empty)
                }
                return [.have(Have(vector: welcome.vector, epochs: welcome.epochs))]
                    + (heard.segments + forged).map(Message.upload)
            }
            var acks: [Ack] = []
            try eventually("each upload is answered: \(client.peer.messages)") {
                acks = client.peer.messages.compactMap { if case .ack(let ack) = $0 { ack } else { nil } }
                return acks.count == 2 * heard.segments.count
            }
            #expect(acks.prefix(heard.segments.count).allSatisfy { $0.stop?.code == .unknownEpoch })
            #expect(acks.suffix(heard.segments.count).allSatisfy { $0.stop == nil && $0.head.seq > 0 })
            return client
        }
    }

    /// The segments that a member without events receives.
    struct Heard: Sendable {
        let segments: [Segment]

        /// Connects as the laptop and waits for `events` events.
        init(as laptop: Laptop, at server: Server, events: Int) throws {
            try self.init(as: laptop.identity(), at: server, events: events)
        }

        /// Connects with this identity and waits for `events` events.
        init(as identity: DeviceIdentity, at server: Server, events: Int) throws {
            let client = try TestClient(identity, to: server, saying: [.syncHello]) { message in
                guard case .welcome = message else { return [] }
                return [.have(Have())]
            }
            var segments: [Segment] = []
            try eventually("\(events) events are heard") {
                segments = client.peer.messages.compactMap {
                    if case .push(let segment) = $0 { segment } else { nil }
                }
                return segments.reduce(0) { $0 + $1.count } >= events
            }
            self.segments = segments
        }

        var replicas: Set<ReplicaID> { Set(segments.map(\.replica)) }

        /// The events of each segment.
        var bySegment: [[SealedEvent]] {
            segments.map { segment in segment.events.map { segment.sealed($0) } }
        }

        var events: [SealedEvent] { bySegment.flatMap(\.self) }
    }
}
