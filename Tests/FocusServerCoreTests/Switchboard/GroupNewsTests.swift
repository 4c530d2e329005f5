import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerCore

/// Tests of the messages that the network's thread sends to a group's connections, and of their cost: the
/// number of times that the thread looks at a connection.
@Suite struct GroupNewsTests {
    private let hostile = GroupID(high: 8, low: 3)

    @Test(
        "4,096 revocations by one group look at no connection of other groups, and tell each of its own at once"
    )
    func revocations() throws {
        let own = try (2_000..<2_016).map { try digest(number: $0) }
        var groups = [hostile: own]
        for place in 0..<30 {
            groups[GroupID(high: 7, low: UInt64(place))] = try (0..<10).map {
                try digest(number: place * 10 + $0)
            }
        }
        let board = try SwitchboardFixture(groups)
        let far = try (0..<300).map { try board.enter(digest(number: $0)) }
        let near = try own.map { try board.enter($0) }
        let before = (far.map(\.looks), near.map(\.sends), near.map(\.looks))
        let revoked = try (5_000..<5_000 + Limits.devices).map {
            SwitchboardFixture.device(try digest(number: $0), hostile, revoked: 1)
        }
        board.switchboard.handle(CommitOutcome(answers: revoked.map(WriterOutcome.device)))
        #expect(far.map(\.looks) == before.0)
        for place in near.indices {
            // There are 150 KB to send. At most 64 KiB are sent at once.
            #expect(near[place].sends <= before.1[place] + 3)
            #expect(near[place].looks <= before.2[place] + 10)
        }
        let told = try near[0].messages.count { if case .revoked = $0 { true } else { false } }
        #expect(told == Limits.devices)
    }

    @Test("a device that is revoked loses each of its connections, and the others hear of it")
    func cutOff() throws {
        let board = try SwitchboardFixture()
        let lines = try [1, 1, 2].map { try board.enter(digest($0)) }
        board.switchboard.handle([
            .device(SwitchboardFixture.device(try digest(1), ServerFixture.group, revoked: 1))
        ])
        #expect(lines.map(\.isClosed) == [true, true, false])
        #expect(try lines[0].refusal?.code == .revoked && lines[1].refusal?.code == .revoked)
        #expect(try lines[2].messages.contains(.revoked(digest(1))))
    }

    @Test("a group hears that a device came with its first connection, and that it went with its last")
    func presence() throws {
        let board = try SwitchboardFixture()
        let other = try board.enter(digest(2))
        func changes() throws -> [Bool] {
            try other.messages.flatMap { message -> [Bool] in
                if case .presence(let presence) = message { presence.map(\.isConnected) } else { [] }
            }
        }
        let lines = try (0..<3).map { _ in try board.enter(digest(1)) }
        #expect(try changes() == [true])
        for line in lines.dropLast() { board.switchboard.closed(line, nil) }
        #expect(try changes() == [true])
        board.switchboard.closed(lines[2], nil)
        #expect(try changes() == [true, false])
    }

    @Test("a connection that ends before it is closed leaves its group once") func leaving() throws {
        let board = try SwitchboardFixture()
        let other = try board.enter(digest(2))
        let line = try board.enter(digest(1))
        board.say(.bye, on: line)
        board.switchboard.closed(line, nil)
        let told = try other.messages.flatMap { message -> [Bool] in
            if case .presence(let presence) = message { presence.map(\.isConnected) } else { [] }
        }
        #expect(told == [true, false])
        #expect(board.queue.reads.count { if case .ended = $0 { true } else { false } } == 1)
    }

    @Test("a welcome has the heads of the log after the last commit")
    func welcomes() throws {
        let board = try SwitchboardFixture { $0.connectionsPerDevice = 1_000 }
        let replica = ReplicaID(rawValue: 4)
        func commit(_ seq: UInt64) throws {
            var author = Author(4)
            let segment = try author.write(Int(seq))
            let head = ReplicaHead(head: Head(seq: seq, chain: author.chain), stamp: Stamp(rawValue: seq))
            board.switchboard.handle(
                CommitOutcome(pushes: [.events(EncodedPush(segment), head, ServerFixture.group)]))
        }
        func welcomed(_ device: UInt8) throws -> UInt64? {
            try board.enter(digest(device)).welcomes.first?.vector[replica].seq
        }
        try commit(1)
        for _ in 0..<2 { #expect(try welcomed(1) == 1) }
        try commit(2)
        #expect(try welcomed(1) == 2)
        #expect(try welcomed(2) == 2)
    }

    @Test("requests of a connection that has ended aren't read any more") func ended() throws {
        let board = try SwitchboardFixture()
        let line = try board.enter(digest(1))
        board.say(.chainsAsked(ReplicaID(rawValue: 1), at: [1]), on: line)
        board.switchboard.closed(line, nil)
        let ended: [ConnectionID] = board.queue.reads.compactMap {
            if case .ended(let connection) = $0 { connection } else { nil }
        }
        #expect(ended == [line.number])
    }

    private let honest = GroupID(high: 8, low: 4)

    /// Returns a board with a group of `count` devices and a group of two, all connected.
    private func board(_ count: Int) throws -> (SwitchboardFixture, far: [Line], near: [Line]) {
        let far = try (0..<count).map { try digest(number: $0) }
        let near = try (10_000..<10_002).map { try digest(number: $0) }
        // Pings, which are answered at once, stand for any message.
        let board = try SwitchboardFixture([hostile: far, honest: near]) {
            $0.connections = 100_000
            $0.session.pings = .max
        }
        return (board, try far.map { try board.enter($0) }, try near.map { try board.enter($0) })
    }

    private func pongs(_ line: Line) throws -> Int {
        try line.messages.count { if case .pong = $0 { true } else { false } }
    }

    private func pings(_ count: Int) -> [UInt8] {
        [UInt8](Array(repeating: Message.ping(sent: 1).encoded(), count: count).joined())
    }

    private func commit(
        _ author: inout Author, bodyLength: Int = 80, in group: GroupID
    ) throws -> WriterPush {
        let segment = try author.write(1, bodyLength: bodyLength)
        let head = Head(seq: segment.lastSeq, chain: author.chain)
        return .events(EncodedPush(segment), ReplicaHead(head: head, stamp: .zero), group)
    }

    private func pushes(_ line: Line) throws -> [Segment] {
        try line.messages.compactMap { if case .push(let segment) = $0 { segment } else { nil } }
    }

    @Test("a group that says thousands of things on many connections is answered in turn with others")
    func floods() throws {
        let (board, far, near) = try board(40)
        for line in far { board.switchboard.received(pings(2_000), on: line.number) }
        board.switchboard.received(pings(1), on: near[0].number)
        let before = try far.map(pongs).reduce(0, +)
        #expect(before <= Limits.turn)
        var turns = 0
        while try pongs(near[0]) == 0, turns < 100 {
            turns += 1
            board.switchboard.takeTurns()
        }
        #expect(turns == 1)
        #expect(try far.map(pongs).reduce(0, +) <= before + ServerSessionDriver.workAtOnce + Limits.turn)
        board.settle()
        #expect(try far.map(pongs) == [Int](repeating: 2_000, count: 40))
    }

    @Test("who lists thousands of keys and connects again and again is welcomed in turn with others")
    func welcomesInTurn() throws {
        let far = try (0..<3_000).map { try digest(number: $0) }
        let near = try (10_000..<10_002).map { try digest(number: $0) }
        let board = try SwitchboardFixture([hostile: far, honest: near]) { $0.session.pings = .max }
        let honestLine = try board.enter(near[0])
        // Only the first connection is welcomed at once, because no other connection waits yet.
        let lines = try far.prefix(40).map { try board.connect($0) }
        // A welcome has 3,000 roster entries and 3,000 presence entries, which takes more than one turn.
        func welcomed() -> Int { lines.count { $0.sent.count > 100_000 } }
        #expect(welcomed() == 1)
        board.switchboard.received(pings(1), on: honestLine.number)
        var rounds = 0
        while welcomed() < lines.count, rounds < 1_000 {
            let before = welcomed()
            board.switchboard.takeTurns()
            #expect(welcomed() <= before + 1)
            // Messages that arrive meanwhile are answered between two welcomes.
            #expect(try pongs(honestLine) >= welcomed() - 1)
            board.switchboard.received(pings(1), on: honestLine.number)
            rounds += 1
        }
        #expect(welcomed() == lines.count)
        // A short welcome delays nobody.
        board.settle()
        let newcomer = try board.enter(near[1])
        #expect(try newcomer.messages.contains { if case .welcome = $0 { true } else { false } })
        #expect(!board.turns.wait)
    }

    @Test("a group with many connections is told of many commits piece by piece, and others meanwhile")
    func fanOut() throws {
        let (board, far, near) = try board(250)
        var authors = (1...200).map { Author(UInt64($0), group: hostile) }
        var commits: [WriterPush] = []
        for place in authors.indices { commits.append(try commit(&authors[place], in: hostile)) }
        var other = Author(999, group: honest)
        commits.append(try commit(&other, in: honest))
        board.switchboard.handle(CommitOutcome(pushes: commits))
        // There are 50,000 messages. A few hundred are sent at once.
        #expect(try far.map { try pushes($0).count }.reduce(0, +) <= 2 * ServerSessionDriver.workAtOnce / 4)
        #expect(try near.map { try pushes($0).count } == [1, 1])
        // Later commits follow.
        for place in authors.indices {
            board.switchboard.handle(
                CommitOutcome(pushes: [try commit(&authors[place], in: hostile)]))
        }
        board.settle()
        for line in far {
            let seqs = Dictionary(grouping: try pushes(line), by: \.replica).mapValues { $0.map(\.firstSeq) }
            #expect(seqs.count == 200 && seqs.values.allSatisfy { $0 == [1, 2] })
        }
    }

    @Test("a group's waiting news is at most as much as it may upload at once: the rest is read again")
    func bounded() throws {
        let (board, far, _) = try board(30)
        var author = Author(1, group: hostile)
        board.switchboard.handle(
            CommitOutcome(
                pushes: try (0..<400).map { _ in try commit(&author, bodyLength: 4_048, in: hostile) }))
        board.settle()
        for line in far {
            #expect(line.sent.count < Limits.merging + 5_000)
        }
        let reads = board.queue.reads.count { if case .events = $0 { true } else { false } }
        #expect(reads == far.count)
    }

    @Test("an epoch's long record reaches a group's many connections turn by turn") func epochs() throws {
        let (board, far, near) = try board(100)
        let record = EpochRecord(
            epoch: EpochID(rawValue: 7), predecessor: nil, body: [UInt8](repeating: 1, count: 60_000))
        board.switchboard.handle([.epochAdded(record, hostile, from: far[0].number)])
        func told() throws -> Int {
            try far.count { line in
                try line.messages.contains { if case .epoch = $0 { true } else { false } }
            }
        }
        #expect(try told() < 70)
        board.switchboard.received(pings(1), on: near[0].number)
        board.switchboard.takeTurns()
        #expect(try pongs(near[0]) == 1)
        board.settle()
        #expect(try told() == 99)
    }
}
