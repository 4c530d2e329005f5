import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@testable import FocusServing
@testable import FocusWriter

@Suite("A server that stops")
struct StoppingTests {
    /// Returns the time after which each of `count` laptops is told to come back.
    private func comebacks(_ count: UInt8) throws -> [Duration] {
        let board = try SwitchboardFixture(devices: count)
        let lines = try (1...count).map { try board.connect($0, from: $0) }
        board.switchboard.stop()
        #expect(lines.allSatisfy { !$0.isClosed })
        board.switchboard.handle([.barrier])
        return try lines.map { line in
            let refusal = try #require(try line.refusal)
            #expect(refusal.code == .shuttingDown)
            #expect(line.isClosed)
            guard case .after(let time) = refusal.retry else { return 0 }
            return time
        }
    }

    @Test("tells every laptop when to come back, each at a time of its own, after it had time to start anew")
    func spread() throws {
        #expect(try comebacks(1) == [1_000])
        let times = try comebacks(200)
        #expect(Set(times).count == 200)
        #expect(times.min() == 1_000)
        let last = Duration.milliseconds(1_000 + 199 * 20)
        #expect(times.max() == last)
        // At most fifty laptops come back in any second.
        for second in 0..<6 { #expect(times.count { $0.inSeconds == second } <= 50) }
    }

    @Test("waits at most a second for laptops to take their goodbye, also on connections ended before")
    func goodbye()
        throws
    {
        let board = try SwitchboardFixture()
        let lines = try (1...3).map { try board.connect($0) }
        lines[0].isStuck = true
        board.switchboard.received(Message.bye.encoded(), on: lines[1].id)
        #expect(lines.map(\.goodbye) == [nil, nil, nil] && lines[1].isClosed)
        board.switchboard.stop()
        #expect(lines.map(\.goodbye) == [nil, nil, nil])
        board.switchboard.handle([.barrier])
        #expect(lines.map(\.goodbye) == [.seconds(1), .seconds(1), .seconds(1)])
    }

    @Test("has stopped once all accepted uploads are answered and the last laptop has gone, and says so once")
    func over() throws {
        let board = try SwitchboardFixture()
        let lines = try (1...2).map { try board.connect($0) }
        board.switchboard.stop()
        board.switchboard.stop()
        board.switchboard.closed(lines[0], nil)
        #expect(board.turns.ends == 0)
        board.switchboard.handle([.barrier])
        #expect(board.turns.ends == 0)
        board.switchboard.closed(lines[1], nil)
        #expect(board.turns.ends == 1)
        board.switchboard.closed(lines[1], nil)
        board.switchboard.handle([.barrier])
        board.switchboard.stop()
        #expect(board.turns.ends == 1)
        // There was no connection to end.
        let alone = try SwitchboardFixture()
        alone.switchboard.stop()
        alone.switchboard.handle([.barrier])
        #expect(alone.turns.ends == 1)
    }

    @Test("asks no laptop to wait for longer than half a minute, however many there are")
    func many() {
        let count = 1_000_000
        #expect(Switchboard.comeback(0, of: count) == 1_000)
        #expect(Switchboard.comeback(count - 1, of: count) <= 31_000)
        #expect(Switchboard.comeback(0, of: 0) == 1_000)
    }
}
