import FocusCore
import FocusSync
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import FocusServing
@testable import FocusWriter

/// Tests of the switchboard's announcements of the server's keys to laptops.
@Suite struct RenewingTests {
    private let first: Digest
    private let second: Digest

    init() throws {
        first = try digest(0xA1)
        second = try digest(0xA2)
    }

    /// Connects a laptop that is welcomed and sends its `have`.
    private func enter(_ board: SwitchboardFixture, _ device: UInt8) throws -> Line {
        let line = try board.connect(device)
        board.switchboard.received(
            Message.have(Have()).encoded(), on: line.id)
        return line
    }

    /// The next server keys in the welcomes on the connection.
    private func announced(to line: Line) throws -> [Digest?] {
        try line.messages.compactMap {
            if case .welcome(let welcome) = $0 { welcome.nextServerKey } else { nil }
        }
    }

    /// The keys that the writer is asked to note as told, by laptop.
    private func told(_ board: SwitchboardFixture) -> [Digest: Digest] {
        var told: [Digest: Digest] = [:]
        for case .told(let device, let key) in board.queue.writes { told[device] = key }
        return told
    }

    private func pass(_ seconds: Int64, _ board: SwitchboardFixture) {
        board.watch.seconds.withLock { $0 += seconds }
        board.switchboard.tick()
    }

    @Test(
        "a laptop connected when a key is announced connects again, and counts as told after its have")
    func announcing() throws {
        let board = try SwitchboardFixture { _ in }
        let line = try enter(board, 1)
        #expect(try announced(to: line) == [nil])
        board.switchboard.change(to: ServerPin(first, next: second))
        // A connection younger than five seconds isn't ended, because it may be a command's.
        pass(4, board)
        #expect(!line.isClosed)
        pass(2, board)
        #expect(line.isClosed)
        let last = try line.messages.last
        #expect(last == .bye)
        #expect(board.book.events == ["connected", "renewing"])
        #expect(told(board) == [:])

        let again = try board.connect(1)
        #expect(try announced(to: again) == [second])
        #expect(told(board) == [:], "whether the welcome arrives isn't known yet")
        board.switchboard.received(
            Message.have(Have()).encoded(), on: again.id)
        #expect(try told(board) == [digest(1): second])
        pass(40, board)
        #expect(!again.isClosed)
    }

    @Test("laptops also connect again when an announcement is cancelled") func cancelling() throws {
        let board = try SwitchboardFixture { _ in }
        board.switchboard.change(to: ServerPin(first, next: second))
        let line = try enter(board, 1)
        board.switchboard.change(to: ServerPin(first))
        pass(6, board)
        #expect(line.isClosed)
        let again = try enter(board, 1)
        #expect(try announced(to: again) == [nil])
    }

    @Test("a connection on which the former key was shown is told of the new one, and ends")
    func changingOver() throws {
        let board = try SwitchboardFixture { _ in }
        let line = board.line()
        #expect(board.switchboard.arrives(line))
        board.switchboard.change(to: ServerPin(second))
        board.switchboard.opened(line, try digest(1))
        let hello = Hello(versions: [.one], purpose: .sync, sent: 0, program: "a test")
        board.switchboard.received(Message.hello(hello).encoded(), on: line.id)
        #expect(try announced(to: line) == [second])
        pass(6, board)
        #expect(line.isClosed)
        let again = try enter(board, 1)
        #expect(try announced(to: again) == [nil])
        pass(6, board)
        #expect(!again.isClosed)
    }

    @Test("if many are connected, a few at a time connect again") func fewAtATime() throws {
        let board = try SwitchboardFixture { $0.connectionsPerDevice = 100 }
        let lines = try (0..<120).map { try enter(board, UInt8($0 % 9) + 1) }
        board.switchboard.change(to: ServerPin(first, next: second))
        pass(6, board)
        #expect(lines.count(where: { $0.isClosed }) == 50)
        // The oldest connections end first.
        #expect(lines.prefix(50).allSatisfy { $0.isClosed })
        for line in lines.prefix(50) { board.switchboard.closed(line, nil) }
        pass(1, board)
        #expect(lines.count(where: { $0.isClosed }) == 100)
    }
}
