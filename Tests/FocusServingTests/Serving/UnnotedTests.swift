import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import FocusServing

@Suite("What was last heard of devices and couldn't be stored")
struct UnnotedTests {
    /// What the store is told of devices from the last time on that this was asked.
    private func noted(_ board: Board) -> [Digest: Sighting] {
        defer { board.queue.writes = [] }
        return board.queue.writes.reduce(into: [:]) { all, request in
            if case .note(let sightings, _, _) = request { all.merge(sightings) { $1 } }
        }
    }

    @Test("is told with what comes next, and what came since counts more")
    func again() throws {
        let board = try Board()
        let (one, other) = (try digest(1), try digest(2))
        let line = try board.enter(one)
        _ = try board.enter(other)
        board.switchboard.refresh()
        let first = noted(board)
        #expect(Set(first.keys) == [one, other])
        board.watch.seconds.withLock { $0 = 5 }
        board.switchboard.closed(line, nil)
        board.switchboard.handle([.notNoted(first)])
        board.switchboard.storeSightings()
        let second = noted(board)
        #expect(second[other] == first[other])
        #expect(second[one]?.connectedSince == nil && second[one]?.time == ServerFixture.now + .seconds(5))
        #expect(second[one]?.program == "a test")
        board.switchboard.storeSightings()
        #expect(noted(board).isEmpty)
    }

    @Test(
        "where others share the store, it is found out whether it takes anything, though nobody is connected")
    func tried() throws {
        func requests(_ board: Board) -> Int {
            board.queue.writes.count { if case .note = $0 { true } else { false } }
        }
        for (number, tries) in [(nil, 0), (1, 1)] as [(Int64?, Int)] {
            let board = try number.map { try Board(as: $0) } ?? Board()
            board.queue.writes = []
            board.switchboard.storeSightings()
            #expect(requests(board) == tries)
        }
    }
}
