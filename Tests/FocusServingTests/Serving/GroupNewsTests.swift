import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServing
@testable import FocusWriter

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
        board.switchboard.handle(revoked.map(WriterOutcome.device))
        #expect(far.map(\.looks) == before.0)
        for place in near.indices {
            // There are 150 KB to send. At most 64 KiB are sent at once.
            #expect(near[place].sends <= before.1[place] + 3)
            #expect(near[place].looks <= before.2[place] + 10)
        }
        let told = try near[0].messages.count { if case .revoked = $0 { true } else { false } }
        #expect(told == Limits.devices)
    }

    @Test("a device that is revoked loses each of its connections, and the others hear of it") func cutOff()
        throws
    {
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

    @Test("a welcome has the heads of the log after the last commit")
    func welcomes() throws {
        let board = try SwitchboardFixture { $0.connectionsPerDevice = 1_000 }
        let replica = ReplicaID(rawValue: 4)
        func commit(_ seq: UInt64) throws {
            var author = Author(4)
            let segment = try author.write(Int(seq))
            let head = ReplicaHead(head: Head(seq: seq, chain: author.chain), stamp: Stamp(rawValue: seq))
            board.switchboard.handle([.committed(EncodedPush(segment), head, ServerFixture.group)])
        }
        func welcomed(_ line: Line) throws -> UInt64? {
            try line.messages.lazy.compactMap {
                if case .welcome(let welcome) = $0 { welcome.vector[replica].seq } else { nil }
            }.first
        }
        try commit(1)
        for _ in 0..<2 { #expect(try welcomed(board.enter(digest(1))) == 1) }
        try commit(2)
        #expect(try welcomed(board.enter(digest(1))) == 2)
        #expect(try welcomed(board.enter(digest(2))) == 2)
    }

    @Test("requests of a connection that has ended aren't read any more") func ended() throws {
        let board = try SwitchboardFixture()
        let line = try board.enter(digest(1))
        board.switchboard.received(
            Message.chainsAsked(ReplicaID(rawValue: 1), at: [1]).encoded(), on: line.id)
        board.switchboard.closed(line, nil)
        let ended: [ConnectionID] = board.queue.reads.compactMap {
            if case .ended(let connection) = $0 { connection } else { nil }
        }
        #expect(ended == [line.number])
    }

    @Test("each second looks at each connection a few times, however many there are")
    func ticking() throws {
        let devices = try (0..<500).map { try digest(number: $0) }
        let board = try SwitchboardFixture([hostile: devices]) { $0.connectionsPerGroup = 500 }
        let lines = try devices.map { try board.enter($0) }
        let before = lines.map(\.looks)
        board.switchboard.tick()
        // If the connections were sorted, each would be looked at 20 times or more.
        for (line, before) in zip(lines, before) { #expect(line.looks <= before + 5) }
    }
}
