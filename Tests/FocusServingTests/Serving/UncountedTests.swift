import ServerSupport
import Testing

@testable import FocusServing
@testable import FocusWriter

@Suite("What devices have brought and isn't counted yet")
struct UncountedTests {
    private func isNoted(_ board: SwitchboardFixture) -> Bool {
        defer { board.queue.writes = [] }
        return board.queue.writes.contains { if case .note = $0 { true } else { false } }
    }

    @Test("is counted within a second, even without further requests and connections") func left() throws {
        let board = try SwitchboardFixture()
        board.switchboard.refresh()
        #expect(!isNoted(board))
        var tally = BatchTally()
        tally.isAllCounted = false
        board.switchboard.handle([.batch(tally)])
        board.switchboard.refresh()
        #expect(isNoted(board))
        tally.isAllCounted = true
        board.switchboard.handle([.batch(tally)])
        board.switchboard.refresh()
        #expect(!isNoted(board))
    }
}
