import FocusCore
import FocusSync
import TestSupport
import Testing

/// The server's session, tested by scripts without branches.
@Suite("The server's session")
struct ServerSessionTests {
    private let start = ServerTime(steady: 1_000, shared: 5_000_000)
    private let events = makeEvents(replicaA, 10)

    private func session(_ standing: ServerSession.Standing) -> ServerSession {
        ServerSession(device: digest(1), standing: standing, program: "focusd", now: start)
    }

    private func hello(_ purpose: Hello.Purpose = .sync, versions: [ProtocolVersion] = [.one]) -> [UInt8] {
        Message.hello(Hello(versions: versions, purpose: purpose, sent: 7, program: "focus")).encoded()
    }

    private var greeting: [UInt8] {
        let clock = ClockAnswer(asked: 7, served: .init(received: 5_000_000, sent: 5_000_000))
        return Message.greeting(
            Greeting(versions: [.one], chosen: .one, clock: clock, program: "focusd")
        ).encoded()
    }

    private func welcome(_ seq: Int) -> Welcome {
        let head = Head(seq: UInt64(seq), chain: chains(of: events)[seq])
        return Welcome(
            group: group, vector: VersionVector([replicaA: head]), latest: .zero, roster: [], epochs: [],
            presence: [], nextServerKey: nil)
    }

    /// Returns a session of a group with `seq` events. The client has been welcomed, and has said that it has
    /// `have` events.
    private func live(_ seq: Int = 0, have: Int = 0, pings: Int = Limits.pings) throws -> ServerSession {
        var limits = SessionLimits()
        limits.pings = pings
        var session = ServerSession(
            device: digest(1), standing: .member(group), program: "focusd", limits: limits, now: start)
        _ = session.received(hello()[...], at: start)
        _ = session.entered(welcome(seq))
        let vector = VersionVector([replicaA: Head(seq: UInt64(have), chain: chains(of: events)[have])])
        let effects = session.received(Message.have(Have(vector: vector, epochs: [])).bytes, at: start)
        #expect(effects.first == .entered)
        return session
    }

    @Test("a member is greeted, and welcomed once the server has said what the group has")
    func opening() {
        var session = session(.member(group))
        expect(session.received(hello()[...], at: start), is: [.send(greeting), .enter(group)])
        expect(session.group, is: nil)
        expect(session.entered(welcome(10)), is: [.send(Message.welcome(welcome(10)).encoded())])
        expect(session.group, is: group)
        let read = session.received(
            Message.have(Have(vector: VersionVector(), epochs: [firstEpoch])).bytes, at: start)
        #expect(
            read == [.entered, .read(replicaA, from: 1, bytes: Limits.read)])
    }

    @Test("a device that isn't known may enrol, once, and nothing else")
    func enrolment() {
        var session = session(.unknown)
        let enrol = Enrol(token: [1], kind: .join)
        expect(session.received(hello(.enrol)[...], at: start), is: [.send(greeting)])
        expect(session.received(Message.enrol(enrol).bytes, at: start), is: [.enrol(enrol)])
        let enrolled = Enrolled(group: group, bundle: [2])
        expect(session.enrolled(enrolled), is: [.send(Message.enrolled(enrolled).encoded()), .enter(group)])
        let again = session.received(Message.enrol(enrol).bytes, at: start)
        #expect(again.last == .close(.refused(Refusal(.malformed, "an unexpected enrol"))))
    }

    @Test("a device that isn't known is told so, and a revoked one too, whatever it came for")
    func refusedDevices() {
        for (standing, purpose, code) in [
            (ServerSession.Standing.unknown, Hello.Purpose.sync, RefusalCode.unknownDevice),
            (.revoked, .sync, .revoked), (.revoked, .enrol, .revoked),
        ] {
            var session = session(standing)
            guard case .close(.refused(let refusal))? = session.received(hello(purpose)[...], at: start).last
            else {
                Issue.record("not closed")
                continue
            }
            #expect(refusal.code == code)
            expect(session.nextDeadline, is: nil)
        }
    }

    @Test(
        "a hello with a purpose of a later version is told the server's versions, not that it is malformed",
        arguments: [[2], [1, 2], [1]] as [[UInt16]])
    func laterPurpose(versions: [UInt16]) {
        for standing in [ServerSession.Standing.unknown, .member(group), .revoked] {
            var session = session(standing)
            let refusal = Refusal(.version, "an unknown purpose, 2", versions: [.one])
            let hello = hello(
                Hello.Purpose(rawValue: 2), versions: versions.map(ProtocolVersion.init(rawValue:)))
            let effects = session.received(hello[...], at: start)
            #expect(effects == [.send(Message.error(refusal).encoded()), .close(.refused(refusal))])
        }
    }

    @Test("before the device is known, a frame has 4 KiB at most")
    func frameLimit() {
        var session = session(.unknown)
        let effects = session.received([0, 0, 0x10, 1], at: start)
        #expect(
            effects.last == .close(.refused(Refusal(.frameTooLarge, "a frame of 4097 bytes is too long"))))
    }

    @Test("a device is known by the key that it showed, before it has said anything")
    func frameLimitOfMembers() {
        var session = session(.member(group))
        expect(session.received([0, 0, 0x10, 1], at: start), is: [])
        let tooLong = session.received([UInt8](repeating: 0, count: 0x1001)[...], at: start)
        #expect(tooLong.last == .close(.refused(Refusal(.malformed, "a message of unknown type 0"))))
    }

    @Test("who says nothing is let go: after 10 seconds unknown, after a minute known")
    func silence() throws {
        var unknown = session(.unknown)
        expect(unknown.nextDeadline, is: 1_000 + Limits.opening)
        expect(unknown.tick(ServerTime(steady: 999 + Limits.opening, shared: nil)), is: [])
        let late = unknown.tick(ServerTime(steady: 1_000 + Limits.opening, shared: nil))
        #expect(
            late.last == .close(.refused(Refusal(.silence, "nothing was said in time", retry: .after(0)))))
        var live = try live()
        expect(live.nextDeadline, is: 1_000 + Limits.clientSilence)
        expect(live.tick(ServerTime(steady: 999 + Limits.clientSilence, shared: nil)), is: [])
        let gone = live.tick(ServerTime(steady: 1_000 + Limits.clientSilence, shared: nil))
        #expect(
            gone.last
                == .close(.refused(Refusal(.silence, "nothing was heard for too long", retry: .after(0)))))
    }

    @Test("an operator may set other deadlines and smaller frames")
    func limits() throws {
        var limits = SessionLimits()
        limits.opening = .seconds(2)
        limits.silence = .seconds(30)
        limits.frame = 300_000
        limits.frameBeforeKnown = 2_048
        func session(_ standing: ServerSession.Standing) -> ServerSession {
            ServerSession(
                device: digest(1), standing: standing, program: "focusd", limits: limits, now: start)
        }
        var unknown = session(.unknown)
        expect(unknown.nextDeadline, is: 2_001_000)
        let long = unknown.received([0, 0, 0x08, 1], at: start)
        #expect(long.last == .close(.refused(Refusal(.frameTooLarge, "a frame of 2049 bytes is too long"))))

        var member = session(.member(group))
        _ = member.received(hello()[...], at: start)
        expect(member.nextDeadline, is: 30_001_000)
        let longer = member.received([0, 0x04, 0x93, 0xE1], at: start)
        #expect(
            longer.last == .close(.refused(Refusal(.frameTooLarge, "a frame of 300001 bytes is too long"))))

        // A device that has just enrolled counts as known.
        var newcomer = session(.unknown)
        _ = newcomer.received(hello(.enrol)[...], at: start)
        _ = newcomer.received(Message.enrol(Enrol(token: [1], kind: .join)).bytes, at: start)
        _ = newcomer.enrolled(Enrolled(group: group, bundle: []))
        expect(newcomer.received([0, 0x04, 0x93, 0xE0], at: start), is: [])
    }

    @Test("an upload goes to the writer, and its result back as an acknowledgement")
    func upload() throws {
        var session = try live()
        let segment = try segment(events)
        expect(session.received(Message.upload(segment).bytes, at: start), is: [.merge(segment)])
        let head = Head(seq: 10, chain: chains(of: events)[10])
        let acknowledged = session.merged(replicaA, head: head, stop: nil)
        #expect(
            acknowledged == [.send(Message.ack(Ack(replica: replicaA, head: head, stop: nil)).encoded())])
        // A client's own upload isn't pushed back to it.
        expect(session.committed(EncodedPush(segment)), is: [])
    }

    @Test("a commit is pushed as it was encoded, once the client has said what it has")
    func push() throws {
        var session = session(.member(group))
        _ = session.received(hello()[...], at: start)
        _ = session.entered(welcome(4))
        let push = EncodedPush(try segment(events, from: 5))
        expect(session.committed(push), is: [])
        let vector = VersionVector([replicaA: Head(seq: 4, chain: chains(of: events)[4])])
        let read = session.received(Message.have(Have(vector: vector, epochs: [])).bytes, at: start)
        #expect(read.last == .read(replicaA, from: 5, bytes: Limits.read))
        var live = try live(4, have: 4)
        expect(live.committed(push), is: [.send(push.frame)])
        expect(live.committed(push), is: [])
    }

    @Test("a client that is slow is sent nothing more, then what it lacks from the store")
    func slow() throws {
        var session = try live(4, have: 4)
        expect(session.unsentBytesChanged(to: Limits.unsent + 1), is: [.reading(false)])
        expect(session.committed(EncodedPush(try segment(events, from: 5))), is: [])
        let presence = Presence(device: digest(2), isConnected: true, lastSeen: 1)
        let gone = Presence(device: digest(2), isConnected: false, lastSeen: 2)
        expect(session.presence([presence]) + session.presence([gone]), is: [])
        let resumed = session.unsentBytesChanged(to: 0)
        #expect(
            resumed == [
                .send(Message.presence([gone]).encoded()), .read(replicaA, from: 5, bytes: Limits.read),
                .reading(true),
            ])
        let segment = try segment(events, from: 5)
        expect(session.loaded(replicaA, segment, head: 10), is: [.send(Message.push(segment).encoded())])
    }

    @Test("a read goes on until the client has everything, and begins anew where the client wants")
    func reading() throws {
        var session = try live(10)
        let part = try #require(try segment(events).prefix(through: 3))
        let next = session.loaded(replicaA, part, head: 10)
        #expect(
            next == [.send(Message.push(part).encoded()), .read(replicaA, from: 4, bytes: Limits.read)])
        expect(session.received(Message.want(replicaA, after: 1).bytes, at: start), is: [])
        let anew = session.loaded(replicaA, try segment(events, from: 4), head: 10)
        #expect(anew == [.read(replicaA, from: 2, bytes: Limits.read)])
        let last = session.loaded(replicaA, try segment(events, from: 2), head: 10)
        #expect(last.count == 1)
        let none = session.received(Message.want(replicaA, after: 10).bytes, at: start)
        #expect(none == [.read(replicaA, from: 11, bytes: Limits.read)])
        expect(session.loaded(replicaA, nil, head: 10), is: [])
    }

    @Test("all that a client had, and wants anew, comes whole, in more than one read")
    func wantedAll() throws {
        var session = try live(10, have: 10)
        let wanted = session.received(Message.want(replicaA, after: 0).bytes, at: start)
        #expect(wanted == [.read(replicaA, from: 1, bytes: Limits.read)])
        let part = try #require(try segment(events).prefix(through: 3))
        let next = session.loaded(replicaA, part, head: 10)
        #expect(
            next == [.send(Message.push(part).encoded()), .read(replicaA, from: 4, bytes: Limits.read)])
    }

    @Test("what is committed while a read finds nothing is read for, and not lost")
    func readingBesideCommit() throws {
        var session = try live(4, have: 4)
        let wanted = session.received(Message.want(replicaA, after: 4).bytes, at: start)
        #expect(wanted == [.read(replicaA, from: 5, bytes: Limits.read)])
        let segment = try segment(events, from: 5)
        expect(session.committed(EncodedPush(segment)), is: [])
        // The reader looked before the commit, but its answer arrives after it.
        expect(session.loaded(replicaA, nil, head: 4), is: [.read(replicaA, from: 5, bytes: Limits.read)])
        expect(session.loaded(replicaA, segment, head: 10), is: [.send(Message.push(segment).encoded())])
    }

    @Test("what the client had uploaded before it wanted the replica anew isn't taken for what it knows")
    func wantedWhileMerging() throws {
        var session = try live(4, have: 4)
        let first = try #require(Segment(events[4..<6], chainBefore: chains(of: events)[4]))
        let second = try #require(Segment(events[6..<8], chainBefore: chains(of: events)[6]))
        let uploads = Message.upload(first).encoded() + Message.upload(second).encoded()
        expect(session.received(uploads[...], at: start), is: [.merge(first), .merge(second)])
        // Another connection of the same laptop has re-authored these events under another replica.
        let wanted = session.received(Message.want(replicaA, after: 4).bytes, at: start)
        #expect(wanted == [.read(replicaA, from: 5, bytes: Limits.read)])
        expect(session.loaded(replicaA, nil, head: 4), is: [])
        func merged(_ seq: Int) -> [ServerEffect] {
            let head = Head(seq: UInt64(seq), chain: chains(of: events)[seq])
            return session.merged(replicaA, head: head, stop: nil)
        }
        #expect(merged(6).count == 1)
        #expect(merged(8).count == 1)
        // All these events are pushed when they are committed.
        let whole = EncodedPush(try #require(Segment(events[4..<8], chainBefore: chains(of: events)[4])))
        expect(session.committed(whole), is: [.send(whole.frame)])
        // The client has the events that it uploads after that.
        let last = try segment(events, from: 9)
        _ = session.received(Message.upload(last).bytes, at: start)
        #expect(merged(10).count == 1)
        expect(session.committed(EncodedPush(last)), is: [])
    }

    @Test("what a parted upload has isn't taken for what the client knows")
    func parted() throws {
        var session = try live(4, have: 4)
        _ = session.received(Message.upload(try segment(events, from: 5)).bytes, at: start)
        _ = session.merged(replicaA, head: Head(seq: 4, chain: .empty), stop: .init(code: .parted))
        let push = EncodedPush(try segment(events, from: 5))
        expect(session.committed(push), is: [.send(push.frame)])
    }

    @Test("pings are answered with both of the server's instants, or none where it isn't sure of its clock")
    func ping() throws {
        var session = try live()
        let sure = session.received(Message.ping(sent: 42).bytes, at: ServerTime(steady: 2_000, shared: 77))
        let answer = ClockAnswer(asked: 42, served: .init(received: 77, sent: 77))
        #expect(sure == [.send(Message.pong(answer).encoded())])
        let unsure = session.received(
            Message.ping(sent: 43).bytes, at: ServerTime(steady: 2_000, shared: nil))
        #expect(unsure == [.send(Message.pong(ClockAnswer(asked: 43, served: nil)).encoded())])
    }

    @Test("a device that is revoked is told why, and the others that it is")
    func revocation() throws {
        var other = try live()
        expect(other.revoked(digest(2)), is: [.send(Message.revoked(digest(2)).encoded())])
        var own = try live()
        let ended = own.revoked(digest(1))
        let refusal = Refusal(.revoked, "this device was revoked")
        #expect(ended == [.send(Message.error(refusal).encoded()), .close(.refused(refusal))])
        expect(own.committed(EncodedPush(try segment(events))), is: [])
    }

    /// One request of each kind.
    private var requests: [GroupRequest] {
        let record = EpochRecord(epoch: firstEpoch, predecessor: EpochID(rawValue: 9), body: [1])
        return [
            .createInvite(InviteRequest(tokenHash: digest(3), bundle: [1], lifetime: 1)),
            .revoke(digest(4)), .roster([RosterEntry(device: digest(4), isRevoked: true)]), .epoch(record),
            .successor(record, discounting: [firstEpoch]),
        ]
    }

    @Test("requests are passed on with their numbers, and each is answered once with its number")
    func answers() throws {
        var session = try live()
        for (place, request) in requests.enumerated() {
            let number = UInt64(place + 1)
            let asked = session.received(numbered(number, request).bytes, at: start)
            #expect(asked == [.ask(RequestNumber(number), request)])
        }
        let refusal = Refusal(.quota, "too many")
        let other = EpochID(rawValue: 77)
        for (number, answer) in [(1, .refused(refusal)), (2, .done), (3, .done), (4, .done)]
            as [(UInt64, GroupAnswer)]
        {
            let number = RequestNumber(number)
            let message = answer == .done ? Message.done(number) : .refused(number, refusal)
            expect(session.answered(number, answer), is: [.send(message.encoded())])
        }
        let exists = session.answered(RequestNumber(5), .epochsExist([other]))
        #expect(
            exists == [
                .send(Message.done(RequestNumber(5)).encoded()), .readEpochs([other], bytes: Limits.read),
            ])
        expect(session.answered(RequestNumber(5), .done), is: [])
    }

    @Test("questions about chains are passed on, and answered")
    func questions() throws {
        var session = try live()
        let asked = session.received(Message.chainsAsked(replicaA, at: [1]).bytes, at: start)
        #expect(asked == [.chains(replicaA, at: [1])])
        expect(session.chains(replicaA, [.empty]), is: [.send(Message.chains(replicaA, [.empty]).encoded())])
    }

    @Test(
        "what only a server says ends the session",
        arguments: [
            Message.epoch(EpochRecord(naming: firstEpoch)), .done(RequestNumber(1)), .revoked(digest(4)),
            .refused(RequestNumber(1), Refusal(.quota, "")),
        ])
    func unexpected(message: Message) throws {
        var session = try live()
        let effects = session.received(message.bytes, at: start)
        #expect(effects.last == .close(.refused(Refusal(.malformed, "an unexpected \(message.type)"))))
    }

    @Test("uploads beyond what the writer can hold stop the reading")
    func backpressure() throws {
        var session = try live()
        let big = makeEvents(replicaA, 250, length: 4_048)
        let segment = try segment(big)
        let upload = Message.upload(segment).encoded()
        var effects: [ServerEffect] = []
        for _ in 0..<3 { effects += session.received(upload[...], at: start) }
        #expect(effects == [.merge(segment), .reading(false)])
        for number in 2...3 {
            let next = session.givenTurns(
                session.merged(replicaA, head: .empty, stop: .init(code: .busy)))
            #expect(next.contains(.merge(segment)), "upload \(number)")
        }
        let resumed = session.givenTurns(
            session.merged(replicaA, head: .empty, stop: .init(code: .busy)))
        #expect(resumed.last == .reading(true))
    }

    @Test("requests and questions that the store hasn't answered stop the reading, within a read too")
    func manyRequests() throws {
        for message in requests.map({ numbered(1, $0) }) + [.chainsAsked(replicaA, at: [1])] {
            var session = try live()
            let many = [UInt8](Array(repeating: message.encoded(), count: 40).joined())
            let effects = session.received(many[...], at: start)
            #expect(effects.count == Limits.questions + 1)
            #expect(effects.last == .reading(false))
            let isQuestion = if case .chainsAsked = message { true } else { false }
            var following: [ServerEffect] = []
            for _ in 0..<40 {
                following +=
                    isQuestion ? session.chains(replicaA, []) : session.answered(RequestNumber(1), .done)
            }
            // The requests that were held back follow as the answers arrive. Then reading resumes.
            #expect(following.count { $0 == effects[0] } == 40 - Limits.questions)
            #expect(following.count { $0 == .reading(true) } == 1)
        }
    }

    @Test("a client that wants many replicas is read from as they are looked for")
    func manyWants() throws {
        var session = try live()
        let wants = (1...40).map { Message.want(ReplicaID(rawValue: 1_000 + $0), after: 5).encoded() }
        var effects = session.received([UInt8](wants.joined())[...], at: start)
        #expect(effects.last == .reading(false))
        var reads = 0
        while case .read(let replica, from: 6, _)? = effects.first(where: { $0 != .reading(true) }),
            reads < 100
        {
            reads += 1
            effects = session.loaded(replica, nil, head: 0)
        }
        #expect(reads == 40)
    }

    @Test("pings that nobody reads the answers of stop the reading, within a read too")
    func manyPings() throws {
        var session = try live(pings: .max)
        let ping = Message.ping(sent: 42).encoded()
        let many = [UInt8](Array(repeating: ping, count: 5_000).joined())
        let effects = session.givenTurns(session.received(many[...], at: start))
        let pongs = effects.reduce(0) { if case .send(let bytes) = $1 { $0 + bytes.count } else { $0 } }
        #expect((Limits.unsent - 1_000..<Limits.unsent + 100).contains(pongs))
        #expect(effects.contains(.reading(false)) && !effects.contains(.reading(true)))
        guard case .send(let rest)? = session.unsentBytesChanged(to: 0).first else { throw Stopped() }
        #expect(rest.count <= Limits.unsent + 100)
    }

    /// The session did something other than the test expects.
    private struct Stopped: Error {}

    @Test("a goodbye ends the session")
    func bye() throws {
        var session = try live()
        expect(session.received(Message.bye.bytes, at: start), is: [.close(.clientLeft(nil))])
    }
}

extension Message {
    /// The message's frame, as a peer would receive it.
    var bytes: ArraySlice<UInt8> { encoded()[...] }
}
