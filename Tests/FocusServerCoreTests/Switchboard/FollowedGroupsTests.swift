import FocusCore
import FocusServerStore
import FocusSync
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import FocusServerCore

@Suite("Groups and keys of which another server may know more")
struct FollowedGroupsTests {
    private let board: SwitchboardFixture

    init() throws { board = try SwitchboardFixture(as: 1) }

    /// The connections for which the writer was asked to read other servers' changes.
    private func asked(_ board: SwitchboardFixture) -> [ConnectionID?] {
        board.queue.writes.compactMap { request in
            if case .shared(.follow(ServerFixture.group, let connection)) = request {
                connection
            } else {
                nil
            }
        }
    }

    /// The number of times the writer was told that nobody is connected any more.
    private var ends: Int {
        board.queue.writes.count {
            if case .shared(.unfollow(ServerFixture.group)) = $0 { true } else { false }
        }
    }

    @Test("a group's first laptop is welcomed once all of others' events are read, and later ones at once")
    func first() throws {
        let first = try board.connect(1)
        let second = try board.connect(2)
        #expect(asked(board) == [first.number, second.number])
        for line in [first, second] { #expect(try line.welcomes.isEmpty && !line.isClosed) }
        var author = Author(5)
        let segment = try author.write(3)
        let head = ReplicaHead(head: Head(seq: 3, chain: author.chain), stamp: Stamp(rawValue: 1))
        board.switchboard.handle(
            CommitOutcome(pushes: [
                .caughtUp(first.number), .events(EncodedPush(segment), head, ServerFixture.group),
                .caughtUp(99),
            ]))
        #expect(try !first.welcomes.isEmpty && second.welcomes.isEmpty)
        let third = try board.connect(3)
        #expect(try third.welcomes.first?.vector[segment.replica].seq == 3)
        board.switchboard.handle(CommitOutcome(pushes: [.caughtUp(second.number)]))
        #expect(try second.welcomes.first?.vector[segment.replica].seq == 3)
        #expect(asked(board) == [first.number, second.number])
    }

    @Test("a server that shares nothing welcomes at once")
    func alone() throws {
        let board = try SwitchboardFixture()
        #expect(try !board.connect(1).welcomes.isEmpty && asked(board).isEmpty)
    }

    @Test("once a group's last laptop has gone, the writer is told, and the next one waits again")
    func last() throws {
        let lines = [try board.connect(1), try board.connect(2)]
        board.switchboard.handle(CommitOutcome(pushes: [.caughtUp(lines[0].number)]))
        board.switchboard.closed(lines[0], nil)
        #expect(ends == 0)
        board.switchboard.closed(lines[1], nil)
        board.switchboard.closed(lines[1], nil)
        #expect(ends == 1)
        // A connection that has closed isn't waited for.
        board.switchboard.handle(CommitOutcome(pushes: [.caughtUp(lines[1].number)]))
        let next = try board.connect(1)
        #expect(try next.welcomes.isEmpty && asked(board).last == next.number)
    }

    @Test("a laptop revoked while it waits isn't welcomed")
    func shutOut() throws {
        let line = try board.connect(1)
        let device = SwitchboardFixture.device(try digest(1), ServerFixture.group, revoked: 1)
        board.switchboard.handle(
            CommitOutcome(answers: [.roster([device])], pushes: [.caughtUp(line.number)]))
        #expect(try line.welcomes.isEmpty && line.refusal?.code == .revoked)
        #expect(ends == 1)
    }

    @Test("a server that stops while somebody waits says so")
    func stops() throws {
        let line = try board.connect(1)
        board.switchboard.stop()
        board.switchboard.handle(CommitOutcome(isDrained: true))
        #expect(try line.refusal?.code == .shuttingDown)
    }

    /// The connections for which a lookup was requested.
    private var lookedUp: [ConnectionID] {
        board.queue.reads.compactMap { if case .groups(_, let connection) = $0 { connection } else { nil } }
    }

    /// Opens a connection with a key that is unknown here. Its messages wait.
    private func comes() throws -> Line {
        let line = board.line()
        #expect(board.switchboard.arrives(line))
        board.switchboard.opened(line, try digest(0xC0))
        #expect(line.isPaused && lookedUp == [line.number])
        return line
    }

    private func hello(_ line: Line) {
        #expect(!line.isPaused)
        board.greet(line)
    }

    @Test("a known key isn't looked up, and no key is if the store isn't shared")
    func known() throws {
        _ = try board.connect(1)
        #expect(lookedUp == [])
        let alone = try SwitchboardFixture()
        let line = try alone.connect(0xC0)
        #expect(try line.refusal?.code == .unknownDevice)
        #expect(alone.queue.reads.allSatisfy { if case .groups = $0 { false } else { true } })
    }

    @Test("a key that the store doesn't know either is unknown")
    func unknown() throws {
        let line = try comes()
        board.switchboard.handle([.groups([], to: line.number)])
        hello(line)
        #expect(try line.refusal?.code == .unknownDevice)
    }

    @Test("a key that the store knows comes in once its group is known here")
    func found() throws {
        let line = try comes()
        board.switchboard.handle([.groups([7], to: line.number)])
        #expect(line.isPaused)
        let asked = board.queue.writes.compactMap { request in
            if case .shared(.news(let news, let connection)) = request { (news, connection) } else { nil }
        }
        #expect(asked.map(\.0) == [StoreNews(logs: [7], rosters: [7])] && asked.map(\.1) == [line.number])
        let group = GroupID(high: 0, low: 7)
        board.switchboard.handle(
            CommitOutcome(
                answers: [
                    .groupAdded(GroupIndex(number: 7, group: group, created: 0)),
                    .roster([SwitchboardFixture.device(try digest(0xC0), group)]),
                ], pushes: [.caughtUp(line.number)]))
        hello(line)
        board.switchboard.handle(CommitOutcome(pushes: [.caughtUp(line.number)]))
        #expect(try line.welcomes.map(\.group) == [group])
    }

    @Test("a key needn't be looked up any more once its connection is over")
    func over() throws {
        let line = try comes()
        board.switchboard.closed(line, nil)
        let over = board.queue.reads.compactMap {
            if case .ended(let connection) = $0 { connection } else { nil }
        }
        #expect(over == [line.number])
    }

    @Test("if the lookup fails, the connection ends, and the device isn't called unknown")
    func failed() throws {
        let line = try comes()
        board.switchboard.handle([.failed(to: line.number)])
        #expect(line.isAborted && line.sent.isEmpty)
    }

    @Test("a connection that ends before it is known, or as the server stops, is forgotten")
    func ended() throws {
        let line = try comes()
        board.switchboard.closed(line, nil)
        board.switchboard.handle([.groups([], to: line.number)])
        #expect(line.isPaused)
        let late = try { () in
            let line = board.line()
            #expect(board.switchboard.arrives(line))
            board.switchboard.opened(line, try digest(0xC1))
            return line
        }()
        board.switchboard.stop()
        #expect(late.isAborted)
    }

    @Test("a laptop whose group's log can't be read is told to come back, and another group's is let in")
    func damaged() throws {
        let damaged = GroupID(high: 7, low: 7)
        let board = try SwitchboardFixture(
            [ServerFixture.group: [digest(1)], damaged: [digest(2)]], damaged: [damaged])
        let refusal = try #require(try board.connect(2).refusal)
        #expect(refusal.code == .internal && refusal.retry == .after(5_000))
        #expect(try board.enter(digest(1)).refusal == nil)
    }

    /// Returns the sightings that the store was told of since the last call.
    private func noted(_ board: SwitchboardFixture) -> [Digest: Sighting] {
        defer { board.queue.writes = [] }
        return board.queue.writes.reduce(into: [:]) { all, request in
            if case .note(let sightings, _, _) = request { all.merge(sightings) { $1 } }
        }
    }

    @Test(
        "what was heard of devices and not stored is stored with the next sightings, unless newer ones replace it"
    )
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

    @Test("a server of a shared store tries to write even if nobody is connected")
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
            board.switchboard.handle(CommitOutcome(pushes: [.caughtUp(try board.connect(number).number)]))
        }
        /// Returns the requests to the writer to reload or to note, in order, since the last call.
        func asked() -> [String] {
            defer { board.queue.writes = [] }
            return board.queue.writes.compactMap { request in
                switch request {
                case .note: "note"
                case .shared(.news(StoreNews(rosters: [Int64(ServerFixture.group.low)]), nil)): "read"
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

    @Test("what devices have brought is counted within a second, even without further requests")
    func uncounted() throws {
        let board = try SwitchboardFixture()
        for isAllCounted in [true, false, true] {
            var tally = BatchTally()
            tally.isAllCounted = isAllCounted
            board.switchboard.handle(CommitOutcome(tally: tally))
            board.queue.writes = []
            board.switchboard.refresh()
            let isNoted = board.queue.writes.contains { if case .note = $0 { true } else { false } }
            #expect(isNoted != isAllCounted)
        }
    }

    @Test("each notice about other servers has its effect") func notices() throws {
        board.switchboard.handle(.servers(3))
        board.switchboard.handle(.read(after: [.milliseconds(2), .seconds(3)]))
        #expect(board.switchboard.metrics.servers == 3)
        #expect(board.switchboard.metrics.newsSeconds.counts.reduce(0, +) == 2)

        board.queue.reads = []
        board.switchboard.handle(.orders)
        #expect(board.queue.reads.count { if case .orders = $0 { true } else { false } } == 1)

        let devices = try [digest(1), digest(2)]
        for device in devices {
            let line = try board.connect(device)
            board.switchboard.handle(CommitOutcome(pushes: [.caughtUp(line.number)]))
        }
        for isTold in [true, false] {
            board.switchboard.refresh()
            #expect(Set(noted(board).keys) == (isTold ? Set(devices) : []))
        }
        // The others took these devices for disconnected.
        board.switchboard.handle(.wasGone)
        board.switchboard.refresh()
        let again = noted(board)
        #expect(Set(again.keys) == Set(devices) && again.values.allSatisfy { $0.connectedSince != nil })
    }
}
