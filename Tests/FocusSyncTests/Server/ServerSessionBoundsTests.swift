import FocusCore
import TestSupport
import Testing

@testable import FocusSync

/// The memory and work that a member can cost the server, by any messages and by reading slowly.
@Suite("What the server's session holds")
struct ServerSessionBoundsTests {
    private let start = ServerTime(steady: 1_000, shared: 5_000_000)

    private func time(_ milliseconds: Int64) -> ServerTime {
        ServerTime(steady: 1_000 + .milliseconds(milliseconds), shared: 5_000_000)
    }

    /// Returns a session of a group with these epochs. Its client has no events.
    private func live(epochs: [UInt64] = [], pings: Int = Limits.pings) -> ServerSession {
        var limits = SessionLimits()
        limits.pings = pings
        var session = ServerSession(
            device: digest(1), standing: .member(group), program: "focusd", limits: limits, now: start)
        _ = session.received(
            Message.hello(Hello(versions: [.one], purpose: .sync, sent: 0, program: "")).bytes, at: start)
        _ = session.entered(
            Welcome(
                group: group, vector: VersionVector(), latest: .zero, roster: [],
                epochs: epochs.map(EpochID.init(rawValue:)), presence: [], nextServerKey: nil))
        return session
    }

    private func have() -> ArraySlice<UInt8> {
        Message.have(Have()).bytes
    }

    private func record(_ number: UInt64, bytes: Int = 100_000) -> EpochRecord {
        EpochRecord(
            epoch: EpochID(rawValue: number), predecessor: nil, body: [UInt8](repeating: 7, count: bytes))
    }

    /// Returns `count` uploads of one event each, all of different replicas.
    private func uploads(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for number in 1...count {
            let events = makeEvents(ReplicaID(rawValue: UInt64(number)), 1)
            bytes += Message.upload(try segment(events)).encoded()
        }
        return bytes
    }

    @Test("uploads beyond what the writer is given at once stop the reading, however small they are")
    func manyUploads() throws {
        var session = live()
        _ = session.received(have(), at: start)
        let effects = session.received(try uploads(600)[...], at: start)
        #expect(effects.count { if case .merge = $0 { true } else { false } } == Limits.uploads)
        #expect(effects.last == .reading(false))
        // As answers arrive, the remaining uploads go to the writer in order.
        var merged = Limits.uploads
        for number in 1...600 {
            let next = session.givenTurns(
                session.merged(
                    ReplicaID(rawValue: UInt64(number)), head: Head(seq: 1, chain: .empty), stop: nil))
            merged += next.count { if case .merge = $0 { true } else { false } }
            #expect(merged <= number + Limits.uploads)
        }
        #expect(merged == 600)
        expect(session.heldBytes < 32_768, is: true)
    }

    /// Has a client send something each millisecond while the session reads. `refuse` answers the effects that
    /// ask for it. Expects the first message, 16 early retries, then one retry a second.
    private func expectSlowing(
        _ session: inout ServerSession, sending next: () -> [UInt8]?,
        refuse: (ServerEffect, inout ServerSession) -> [ServerEffect]?
    ) {
        var refused: [Int64] = []
        var isReading = true
        for now in Int64(0)..<4_900 {
            var effects: [ServerEffect] = session.tick(time(now))
            if isReading, let bytes = next() { effects += session.received(bytes[...], at: time(now)) }
            while !effects.isEmpty {
                let effect = effects.removeFirst()
                if case .reading(let reads) = effect { isReading = reads }
                guard let answer = refuse(effect, &session) else { continue }
                refused.append(now)
                effects += answer
            }
        }
        #expect(refused.prefix(17) == [Int64](0...16)[...])
        #expect(refused.count <= 17 + 5)
    }

    @Test("a client that is told that it uploads too much, and goes on at once, is listened to less and less")
    func hasty() throws {
        var session = live()
        _ = session.received(have(), at: start)
        let stop = Ack.Stop(code: .rate, after: 5_000)
        let uploads = try (1...100).map { number in
            Message.upload(try segment(makeEvents(ReplicaID(rawValue: UInt64(number)), 1))).encoded()
        }
        var left = uploads[...]
        expectSlowing(&session, sending: { left.popFirst() }) { effect, session in
            guard case .merge(let segment) = effect else { return nil }
            return session.merged(segment.replica, head: .empty, stop: stop)
        }
        // When an upload is taken again, the rate limiter forgets the refusals.
        session = live()
        _ = session.received(have(), at: start)
        for upload in uploads.prefix(30) {
            for case .merge(let segment) in session.received(upload[...], at: start) {
                _ = session.merged(segment.replica, head: .empty, stop: stop)
            }
        }
        expect(session.nextDeadline, is: 1_000 + Limits.longestPause)
        let rested = session.tick(time(1_000))
        #expect(rested.last == .merge(try segment(makeEvents(ReplicaID(rawValue: 18), 1))))
        _ = session.merged(ReplicaID(rawValue: 18), head: Head(seq: 1, chain: .empty), stop: nil)
        expect(session.nextDeadline, is: 1_000 + Limits.clientSilence)
        // Eleven of the client's uploads are at the writer now, and the connection is read from.
        let more = session.received(uploads[40][...], at: time(1_001))
        #expect(more.count == 1)
    }

    @Test(
        "a client that asks for other things too often is listened to less and less, as one that uploads is")
    func hastyRequests() throws {
        var session = live()
        _ = session.received(have(), at: start)
        let refusal = Refusal(.rate, "too much", retry: .after(5_000))
        var numbers = (UInt64(1)...4_900)[...]
        expectSlowing(
            &session,
            sending: {
                numbers.popFirst().map { numbered($0, .epoch(self.record($0, bytes: 100))).encoded() }
            }
        ) { effect, session in
            guard case .ask(let number, .epoch) = effect else { return nil }
            return session.answered(number, .refused(refusal))
        }
        // A client that has waited is heard at once. Uploads have a rate limiter of their own.
        let (number, request) = (RequestNumber(5_000), GroupRequest.epoch(record(5_000, bytes: 100)))
        for now in [Int64(20_000), 26_000, 32_000] {
            let effects = session.received(Message.request(number, request).bytes, at: time(now))
            #expect(effects.contains(.ask(number, request)))
            let answered = session.answered(number, .refused(refusal))
            #expect(!answered.contains(.reading(false)))
        }
    }

    @Test("a client that was hasty and then waited for the time named may have many requests at once again")
    func waited() {
        var session = live()
        _ = session.received(have(), at: start)
        func requests(_ numbers: ClosedRange<UInt64>, at now: ServerTime) -> Int {
            let bytes = numbers.flatMap { numbered($0, .epoch(record($0, bytes: 100))).encoded() }
            return session.received(bytes[...], at: now).count { if case .ask = $0 { true } else { false } }
        }
        for number in UInt64(1)...17 {
            #expect(requests(number...number, at: start) == 1)
            _ = session.answered(RequestNumber(number), .refused(Refusal(.rate, "", retry: .after(5_000))))
        }
        _ = session.tick(time(1_000))
        #expect(requests(18...19, at: time(1_001)) == 1)
        // The request came too early, although it was done.
        _ = session.answered(RequestNumber(18), .done)
        _ = session.answered(RequestNumber(19), .done)
        #expect(requests(20...21, at: time(4_999)) == 1)
        _ = session.answered(RequestNumber(20), .done)
        _ = session.answered(RequestNumber(21), .done)
        #expect(requests(22...22, at: time(5_001)) == 1)
        _ = session.answered(RequestNumber(22), .done)
        #expect(requests(23...24, at: time(5_002)) == 2)
    }

    @Test("what a client says is looked at turn by turn, all of it, and nothing more is read meanwhile")
    func turns() throws {
        var session = live(pings: .max)
        _ = session.received(have(), at: start)
        var bytes = [UInt8](Array(repeating: Message.ping(sent: 7).encoded(), count: 5_000).joined())
        bytes += Message.upload(try segment(makeEvents(ReplicaID(rawValue: 1), 1))).encoded()
        var effects = session.received(bytes[...], at: start)
        #expect(effects.suffix(2) == [.turn, .reading(false)])
        var pongs = 0
        var turns = 0
        while true {
            let before = pongs
            for case .send(let sent) in effects { pongs += sent.count / Message.pong(answer).encoded().count }
            #expect(pongs - before <= Limits.turn)
            _ = session.unsentBytesChanged(to: 0)
            guard effects.contains(.turn) else { break }
            turns += 1
            effects = session.beginTurn()
        }
        #expect(pongs == 5_000 && turns == 4)
        #expect(effects.contains { if case .merge = $0 { true } else { false } })
        #expect(effects.last == .reading(true))
        // If other clients wait, the session asks for a turn first.
        let held = session.received(Message.ping(sent: 7).bytes, at: start, hasTurn: false)
        #expect(held == [.turn, .reading(false)])
        let given = session.beginTurn()
        #expect(given.count == 2 && given.last == .reading(true))
    }

    @Test("who pings much more often than it needs to isn't read from until the time for so many has passed")
    func pings() throws {
        var session = live()
        _ = session.received(have(), at: start)
        let ping = Message.ping(sent: 7).encoded()
        let many = [UInt8](Array(repeating: ping, count: 100).joined())
        func pongs(_ effects: [ServerEffect]) -> Int {
            effects.reduce(0) { count, effect in
                guard case .send(let sent) = effect else { return count }
                return count + sent.count / Message.pong(answer).encoded().count
            }
        }
        let effects = session.received(many[...], at: start)
        #expect(pongs(effects) == Limits.pings && effects.last == .reading(false))
        #expect(session.nextDeadline == start.steady + Limits.pingWindow)
        _ = session.unsentBytesChanged(to: 0)
        #expect(session.tick(time(3_999)).isEmpty)
        #expect(pongs(session.tick(time(4_000))) == Limits.pings)
        // The remaining pings are answered in later windows. Then a client that pings once a second is always
        // answered.
        for second in Int64(2)...7 { _ = session.tick(time(second * 4_000)) }
        for second in Int64(40)..<90 {
            let effects = session.received(ping[...], at: time(second * 1_000))
            #expect(pongs(effects) == 1 && !effects.contains(.reading(false)))
        }
    }

    private let answer = ClockAnswer(
        asked: 7, served: ClockAnswer.Served(received: 5_000_000, sent: 5_000_000))

    @Test("who waits for the time that was named is never kept waiting") func patient() throws {
        var session = live()
        _ = session.received(have(), at: start)
        for round in Int64(0)..<60 {
            let replica = ReplicaID(rawValue: UInt64(round) + 1)
            let effects = session.received(
                Message.upload(try segment(makeEvents(replica, 1))).bytes, at: time(round * 2_000))
            #expect(effects.count == 1)
            let answered = session.merged(replica, head: .empty, stop: Ack.Stop(code: .rate, after: 2_000))
            #expect(!answered.contains(.reading(false)))
        }
    }

    @Test("the pieces of a long roster go to the writer a few at a time, and are answered in the order asked")
    func roster() throws {
        var session = live()
        _ = session.received(have(), at: start)
        var requests = (0..<40).map { piece in
            GroupRequest.roster(
                (0..<Limits.rosterPiece).map { number in
                    RosterEntry(
                        device: digest(piece * Limits.rosterPiece + number), isRevoked: number % 2 == 0)
                })
        }
        requests.append(.revoke(digest(9_999)))
        let numbers = requests.indices.map { RequestNumber(UInt64($0 + 1)) }
        let messages = zip(numbers, requests).map { Message.request($0, $1).encoded() }
        let bytes = [UInt8](messages.joined())
        let effects = session.givenTurns(session.received(bytes[...], at: start))
        #expect(effects.count { if case .ask = $0 { true } else { false } } == Limits.questions)
        #expect(effects.last == .reading(false))
        var left = effects[...]
        var asked: [ServerEffect] = []
        var answers: [Message] = []
        while let effect = left.popFirst() {
            switch effect {
            case .ask(let number, _):
                asked.append(effect)
                left += session.givenTurns(session.answered(number, .done))
            case .send(let bytes): answers += try message(bytes)
            default: break
            }
        }
        #expect(asked == zip(numbers, requests).map { ServerEffect.ask($0, $1) })
        #expect(answers == numbers.map { .done($0) })
    }

    @Test("the records of epochs that a client lacks are sent piece by piece, as it takes them")
    func epochs() throws {
        let count = UInt64(400)
        var session = live(epochs: Array(1...count))
        var effects = session.received(have(), at: start)
        var most = 0
        var unsent = 0
        var sent = 0
        var turns = 0
        while turns < 2_000 {
            turns += 1
            var asked: [EpochID]?
            for effect in effects {
                if case .send(let bytes) = effect {
                    unsent += bytes.count
                    sent += try message(bytes).count
                }
                if case .readEpochs(let epochs, Limits.read) = effect { asked = epochs }
            }
            most = max(most, unsent)
            effects = session.unsentBytesChanged(to: unsent)
            if let asked {
                #expect(asked.count <= Limits.epochPiece && unsent <= Limits.unsent)
                // The store returns one record at a time, because each record is big.
                effects += session.loaded([record(asked[0].rawValue)], lookedUp: 1)
            } else if effects.isEmpty {
                // The client reads some bytes.
                guard unsent > 0 else { break }
                unsent -= min(unsent, 30_000)
                effects = session.unsentBytesChanged(to: unsent)
            }
        }
        #expect(sent == Int(count))
        #expect(most <= Limits.unsent + 101_000)
    }

    @Test(
        "what comes up while a client takes nothing is told later: epochs from the store, the last of each device"
    )
    func slow() throws {
        var session = live()
        _ = session.received(have(), at: start)
        _ = session.unsentBytesChanged(to: Limits.unsent + 1)
        var effects: [ServerEffect] = []
        for round in 0..<50 {
            for number in 1...20 {
                effects += session.epoch(EncodedEpochRecord(record(UInt64(number), bytes: 5_000)))
                effects += session.revoked(digest(100 + number))
                effects += session.presence([
                    Presence(device: digest(200 + number), isConnected: round % 2 == 0, lastSeen: 1)
                ])
            }
        }
        #expect(effects == [])
        expect(session.heldBytes < 8_192, is: true)
        var told: [Message] = []
        effects = session.unsentBytesChanged(to: 0)
        for case .send(let bytes) in effects { told += try message(bytes) }
        let revoked = (1...20).map { Message.revoked(digest(100 + $0)) }
        let presence = (1...20).map {
            Presence(device: digest(200 + $0), isConnected: false, lastSeen: 1)
        }
        #expect(told == revoked + [.presence(presence)])
        #expect(
            effects.contains(
                .readEpochs((1...20).map { EpochID(rawValue: $0) }, bytes: Limits.read)))
    }

    @Test("epochs that stand in the way of a client's own are read for it as it takes them, each once")
    func othersEpochs() {
        var session = live()
        _ = session.received(have(), at: start)
        let numbers = (1...Limits.questions).map { RequestNumber(UInt64($0)) }
        let own = EpochRecord(epoch: EpochID(rawValue: 99), predecessor: firstEpoch, body: [1])
        for number in numbers {
            let request = Message.request(number, .successor(own, discounting: []))
            _ = session.received(request.bytes, at: start)
        }
        _ = session.unsentBytesChanged(to: Limits.unsent + 1)
        let others = (1...20).map { EpochID(rawValue: $0) }
        let effects = numbers.flatMap { session.answered($0, .epochsExist(others)) }
        #expect(effects == numbers.map { .send(Message.done($0).encoded()) })
        expect(session.heldBytes < 4_096, is: true)
        let writable = session.unsentBytesChanged(to: 0)
        #expect(writable.contains(.readEpochs(others, bytes: Limits.read)))
    }

    @Test("what is held for a client is counted, whatever it is, and let go with the session") func held()
        throws
    {
        var session = live()
        _ = session.received(have(), at: start)
        expect(session.heldBytes < 1_024, is: true)
        // An incomplete frame.
        _ = session.received([0, 0x10, 0, 0, 0x44] + [UInt8](repeating: 0, count: 1_000_000), at: start)
        expect((1_000_000...1_048_580).contains(session.heldBytes), is: true)
        let left = session.leave()
        #expect(left.last == .close(.left))
        expect(session.heldBytes, is: 0)

        // Requests that the writer hasn't answered.
        session = live()
        _ = session.received(have(), at: start)
        var asked = 0
        for number in UInt64(1)...10 {
            let effects = session.givenTurns(
                session.received(numbered(number, .epoch(record(number))).bytes, at: start))
            asked += effects.count { if case .ask(_, .epoch) = $0 { true } else { false } }
        }
        #expect(asked == 7, "the rest waits until the writer has done some of it")
        expect(session.heldBytes >= 1_000_000, is: true)
        for number in UInt64(1)...10 {
            _ = session.givenTurns(session.answered(RequestNumber(number), .done))
        }
        expect(session.heldBytes < 8_192, is: true)

        // Uploads and requests that are at the writer when the session ends.
        _ = session.received(try uploads(100)[...], at: start)
        _ = session.received(numbered(11, .epoch(record(1))).bytes, at: start)
        expect(session.heldBytes >= 100 * 98 + 100_000, is: true)
        _ = session.leave()
        expect(session.heldBytes, is: 0)

        // The version vector that the client sent.
        session = live()
        let heads = (1...1_000).map { (ReplicaID(rawValue: $0), Head(seq: 1, chain: .empty)) }
        let vector = VersionVector(Dictionary(uniqueKeysWithValues: heads))
        _ = session.received(Message.have(Have(vector: vector, epochs: [])).bytes, at: start)
        expect(session.heldBytes > 30_000, is: true)
    }

    /// Returns a different digest for each number.
    private func digest(_ number: Int) -> Digest {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return Digest(bytes: bytes + [UInt8](repeating: 1, count: Digest.length - 4))
            ?? FocusSyncTests.digest(0)
    }
}
