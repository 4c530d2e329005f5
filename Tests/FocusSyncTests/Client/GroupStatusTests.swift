import FocusCore
import FocusSync
import TestSupport
import Testing

/// The records that a client sends to a server that has lost them, over a slow connection.
@Suite("What a client gives a server that was restored")
struct GroupStatusTests {
    private let mine = makeEvents(replicaA, 2)

    private var vector: VersionVector {
        VersionVector([replicaA: Head(seq: 2, chain: chains(of: mine)[2])])
    }

    private func record(_ number: Int, bytes: Int) -> EpochRecord {
        EpochRecord(
            epoch: EpochID(rawValue: UInt64(number)), predecessor: EpochID(rawValue: UInt64(number - 1)),
            body: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes))
    }

    /// Returns the messages that give the server these records, the first one with the number `first`.
    private func requests(for records: some Sequence<EpochRecord>, from first: UInt64) -> [Message] {
        records.enumerated().map { numbered(first + UInt64($0.offset), .epoch($0.element)) }
    }

    /// The driver of a session: a connection with a send buffer, which is emptied when the test says so.
    private struct Shell: ~Copyable {
        var session: ClientSession
        private var decoder = FrameDecoder()
        private(set) var unsent = 0
        /// The greatest number of unsent bytes so far.
        private(set) var most = 0
        /// The messages that the session sent since the last `takeSaid()`.
        private var said: [Message] = []
        private(set) var others: [ClientEffect] = []

        init(_ session: consuming ClientSession) { self.session = session }

        mutating func carryOut(_ effects: [ClientEffect]) throws {
            var left = effects[...]
            while let effect = left.popFirst() {
                guard case .send(let bytes) = effect else {
                    others.append(effect)
                    continue
                }
                unsent += bytes.count
                most = max(most, unsent)
                decoder.append(bytes[...])
                while let frame = try decoder.next() { said.append(try Message(frame)) }
                left += session.unsentBytesChanged(to: unsent)
            }
        }

        /// Empties the send buffer.
        mutating func drain() throws {
            unsent = 0
            try carryOut(session.unsentBytesChanged(to: 0))
        }

        mutating func takeSaid() -> [Message] {
            defer { said = [] }
            return said
        }

        mutating func takeOthers() -> [ClientEffect] {
            defer { others = [] }
            return others
        }
    }

    /// Returns a session after the welcome of an empty server. It has sent as many records as there was room
    /// for.
    private func welcomed(_ roster: [RosterEntry], _ epochs: [EpochRecord]) throws -> Shell {
        let log = LocalLog(group: group, vector: vector, roster: roster, epochs: epochs)
        var shell = Shell(
            ClientSession(.sync(log), clock: ClockEstimate(offset: .zero), program: "focus", now: 0))
        try shell.carryOut(shell.session.opened(0))
        let clock = ClockAnswer(asked: 0, served: .init(received: 50, sent: 50))
        let greeting = Greeting(versions: [.one], chosen: .one, clock: clock, program: "focusd")
        try shell.carryOut(shell.session.received(Message.greeting(greeting).bytes, at: 100))
        let welcome = Welcome(
            group: group, vector: VersionVector(), latest: .zero, roster: [], epochs: [], presence: [],
            nextServerKey: nil)
        try shell.carryOut(shell.session.received(Message.welcome(welcome).bytes, at: 200))
        return shell
    }

    @Test("more than a connection takes is given piece by piece as it goes out, each once")
    func pieces() throws {
        let records = (1...24).map { record($0, bytes: 400 << 10) }
        let entry = RosterEntry(device: digest(3), isRevoked: true)
        var shell = try welcomed([entry], records)
        var given = shell.takeSaid()
        #expect(given.count { $0.type == .keepEpoch } == 1)
        for _ in records {
            try shell.drain()
            given += shell.takeSaid()
        }
        #expect(given.filter { $0.type == .roster } == [numbered(1, .roster([entry]))])
        #expect(given.filter { $0.type == .keepEpoch } == requests(for: records, from: 2))
        #expect(shell.most < 512 << 10)
    }

    @Test("events and a new epoch come after the records that are still to be given")
    func recordsFirst() throws {
        let records = (1...2).map { record($0, bytes: 400 << 10) }
        var shell = try welcomed([], records)
        let next = record(3, bytes: 9)
        try shell.carryOut(shell.session.ask(.successor(next, discounting: [])))
        try shell.carryOut(shell.session.returned(vector, at: 300))
        try shell.carryOut(shell.session.reauthored(vector))
        let read = ClientEffect.read(replicaA, from: 1, bytes: Limits.read)
        #expect(!shell.takeOthers().contains(read))
        #expect(shell.takeSaid().last == numbered(1, .epoch(records[0])))
        expect(shell.session.isIdle, is: false)

        try shell.drain()
        #expect(shell.takeSaid() == [numbered(2, .epoch(records[1]))])
        try shell.drain()
        #expect(shell.takeSaid() == [numbered(3, .successor(next, discounting: []))])
        #expect(shell.takeOthers() == [read])
    }

    @Test("of what was given, what the server puts off is given again and nothing else")
    func putOff() throws {
        let roster = (1...3).map { RosterEntry(device: digest($0), isRevoked: true) }
        let records = (1...5).map { record($0, bytes: 300) }
        var shell = try welcomed(roster, records)
        let given = [numbered(1, .roster(roster))] + requests(for: records, from: 2)
        let said = Array(shell.takeSaid().suffix(6))
        #expect(said == given)
        let later = Refusal(.rate, "too much at once", retry: .after(2_000))
        for answer in [
            .done(RequestNumber(2)), .refused(RequestNumber(3), later), .done(RequestNumber(4)),
            .refused(RequestNumber(5), later),
        ] as [Message] {
            try shell.carryOut(shell.session.received(answer.bytes, at: 1_000))
        }
        try shell.carryOut(shell.session.tick(2_001_000))
        #expect(shell.takeSaid() == requests(for: [records[1], records[3]], from: 7))

        let refused = Message.refused(RequestNumber(1), later)
        try shell.carryOut(shell.session.received(refused.bytes, at: 3_000_000))
        try shell.carryOut(shell.session.tick(5_000_000))
        #expect(shell.takeSaid() == [numbered(9, .roster(roster))])
        expect(shell.session.nextDeadline, is: .after(Limits.ping))
    }

    @Test("nothing more is given before the time that the server names, and then what it put off first")
    func rest() throws {
        let records = (1...4).map { record($0, bytes: 400 << 10) }
        var shell = try welcomed([], records)
        try shell.drain()
        let given = Array(shell.takeSaid().suffix(2))
        #expect(given == requests(for: records[..<2], from: 1))
        let later = Refusal(.rate, "too much at once", retry: .after(2_000))
        let refused = Message.refused(RequestNumber(2), later)
        try shell.carryOut(shell.session.received(refused.bytes, at: 1_000))
        try shell.drain()
        #expect(shell.takeSaid() == [])

        try shell.carryOut(shell.session.tick(2_001_000))
        for _ in records { try shell.drain() }
        #expect(shell.takeSaid() == requests(for: records[1...], from: 3))
    }

    @Test("what the server turns out to lack is given once, and put off like all else")
    func lacking() throws {
        let known = record(1, bytes: 300)
        var shell = try welcomed([], [known])
        _ = shell.takeSaid()
        let named = EpochRecord(naming: EpochID(rawValue: 7))
        let given = shell.session.sendMissingRecords([known, named])
        try shell.carryOut(try #require(given))
        #expect(shell.takeSaid() == [numbered(2, .epoch(named))])
        let again = shell.session.sendMissingRecords([known, named])
        #expect(again == nil)

        let later = Refusal(.rate, "too much at once", retry: .after(2_000))
        let refused = Message.refused(RequestNumber(2), later)
        try shell.carryOut(shell.session.received(refused.bytes, at: 1_000))
        #expect(!shell.takeOthers().contains(.answered(.epoch(named), later)))
        try shell.carryOut(shell.session.tick(2_001_000))
        #expect(shell.takeSaid() == [numbered(3, .epoch(named))])
    }

    @Test("more devices than a roster may name are given in several, of which each is put off by itself")
    func manyDevices() throws {
        let roster = try (0..<2 * Limits.rosterPiece + 5).map { number in
            var bytes = [UInt8](repeating: 0, count: Digest.length)
            (bytes[0], bytes[1]) = (UInt8(number >> 8), UInt8(number & 255))
            return RosterEntry(device: try #require(Digest(bytes: bytes)), isRevoked: false)
        }
        let pieces = [
            roster[..<Limits.rosterPiece], roster[Limits.rosterPiece..<2 * Limits.rosterPiece],
            roster[(2 * Limits.rosterPiece)...],
        ].map { GroupRequest.roster(Array($0)) }
        var shell = try welcomed(roster, [])
        let given = shell.takeSaid().filter { $0.type == .roster }
        #expect(given == [numbered(1, pieces[0]), numbered(2, pieces[1]), numbered(3, pieces[2])])

        let later = Refusal(.rate, "too much at once", retry: .after(2_000))
        let answers =
            Message.done(RequestNumber(1)).encoded() + Message.refused(RequestNumber(2), later).encoded()
            + Message.done(RequestNumber(3)).encoded()
        try shell.carryOut(shell.session.received(answers[...], at: 1_000))
        let told = shell.takeOthers()
        #expect(told.suffix(2) == [.answered(pieces[0], nil), .answered(pieces[2], nil)])
        try shell.carryOut(shell.session.tick(2_001_000))
        #expect(shell.takeSaid() == [numbered(4, pieces[1])])
    }
}
