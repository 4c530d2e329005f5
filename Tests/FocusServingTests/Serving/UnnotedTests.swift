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
    /// Returns the sightings that the store was told of since the last call.
    private func noted(_ board: SwitchboardFixture) -> [Digest: Sighting] {
        defer { board.queue.writes = [] }
        return board.queue.writes.reduce(into: [:]) { all, request in
            if case .note(let sightings, _, _) = request { all.merge(sightings) { $1 } }
        }
    }

    @Test("is stored with the next sightings, and newer ones replace it")
    func again() throws {
        let board = try SwitchboardFixture()
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
        "a server of a shared store tries to write even if nobody is connected")
    func tried() throws {
        func requests(_ board: SwitchboardFixture) -> Int {
            board.queue.writes.count { if case .note = $0 { true } else { false } }
        }
        for (number, tries) in [(nil, 0), (1, 1)] as [(Int64?, Int)] {
            let board = try number.map { try SwitchboardFixture(as: $0) } ?? SwitchboardFixture()
            board.queue.writes = []
            board.switchboard.storeSightings()
            #expect(requests(board) == tries)
        }
    }

    @Test(
        "the roster is read again when a device comes from another server, even if there is always more to store",
        arguments: [false, true])
    func settled(isBusy: Bool) throws {
        let board = try SwitchboardFixture(as: 1)
        func enter(_ number: UInt8) throws {
            board.switchboard.handle([.caughtUp(try board.connect(number).number)])
        }
        /// Returns the requests to the writer to reload or to note, in order, since the last call.
        func asked() -> [String] {
            defer { board.queue.writes = [] }
            return board.queue.writes.compactMap { request in
                switch request {
                case .note: "note"
                case .news(StoreNews(rosters: [Int64(ServerFixture.group.low)]), nil): "read"
                default: nil
                }
            }
        }
        var device = SwitchboardFixture.device(try digest(1), ServerFixture.group)
        device.server = 2
        board.switchboard.handle([.roster([device])])
        try enter(1)
        var found: [[String]] = []
        for number in 2...4 as ClosedRange<UInt8> {
            if isBusy { try enter(number) }
            board.switchboard.refresh()
            found.append(asked())
        }
        // There is something to reload only once the store has been told.
        #expect(found == (isBusy ? [["note"], ["read", "note"], ["note"]] : [["note"], ["read"], []]))
    }
}
