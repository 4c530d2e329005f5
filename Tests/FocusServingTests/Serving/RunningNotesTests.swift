import FocusCore
import FocusNet
import FocusServerStore
import FocusSync
import Glibc
import ServerSupport
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import FocusServerCore
@testable import FocusServing

@Suite("The notes of a running server for other commands", .ends(within: .seconds(300)))
struct RunningNotesTests {
    /// The notes that a server wrote, in order.
    private final class NotesRecorder: Sendable {
        private let written = Mutex<[RunningNotes]>([])

        func append(_ notes: RunningNotes) { written.withLock { $0.append(notes) } }

        var all: [RunningNotes] { written.withLock { $0 } }
    }

    private let book = LogRecorder()
    private let time = ManualClock()
    private let notes = NotesRecorder()

    /// Returns a server that doesn't serve yet. Its clock is behind the time served before by `lag`.
    private func server(_ loop: EventLoop, lag: Duration) -> Server {
        time.set(0, isOff: false)
        let clock = ServerClock(
            greatestServed: ServerFixture.now + lag, wall: { [time] in time.wall },
            steady: { [time] in time.steady })
        return Server(
            loop: loop, clock: clock, limits: ServerLimits(), log: book.log, findHosts: { [] },
            writeNotes: { [notes] in notes.append($0) })
    }

    @Test("they are written at the start, even if nothing is wrong, and then only if something changes")
    func start() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let server = server(loop, lag: .zero)
        await server.reportInitialState()
        var expected = RunningNotes()
        expected.process = getpid()
        #expect(notes.all == [expected])
        for second in 1...3 as ClosedRange<Int64> {
            time.set(second, isOff: false)
            await server.watchClock()
        }
        #expect(notes.all == [expected] && book.events == [])
    }

    @Test("they have each change of the clock's trouble; the log has its begin and its end")
    func clock() async throws {
        let loop = try EventLoop()
        defer { loop.stop() }
        let server = server(loop, lag: .seconds(3_600))
        await server.reportInitialState()
        #expect(notes.all.last?.clockTrouble == "is 3600 s behind the time served before")
        #expect(book.events == ["clock-not-sure"])

        time.set(60, isOff: false)
        await server.watchClock()
        #expect(notes.all.last?.clockTrouble == "is 3540 s behind the time served before")
        #expect(book.events == ["clock-not-sure"])
        let count = notes.all.count
        await server.watchClock()
        #expect(notes.all.count == count)

        time.set(3_600, isOff: false)
        await server.watchClock()
        #expect(notes.all.count == count + 1)
        #expect(notes.all.last?.clockTrouble == nil && notes.all.last?.process == getpid())
        #expect(book.events == ["clock-not-sure", "clock-sure"])

        time.set(3_601, isOff: true)
        await server.watchClock()
        #expect(notes.all.last?.clockTrouble == "has jumped ahead by 3600 s")
        time.set(3_602, isOff: false)
        await server.watchClock()
        #expect(notes.all.last?.clockTrouble == nil)
        #expect(book.events == ["clock-not-sure", "clock-sure", "clock-not-sure", "clock-sure"])
        #expect(
            book.values(of: "clock-not-sure") == [
                .clock(.behind(by: .seconds(3_600))), .remedy(.setClock),
                .clock(.jumped(by: .seconds(3_600))), .remedy(.setClock),
            ])
    }

    @Test("a server that has started has written its process, and the addresses of its metrics and its page")
    func metrics() async throws {
        let installation = try Installation()
        var settings = ServerSettings()
        settings.listen = Address("127.0.0.1:0")
        settings.metrics = Address("127.0.0.1:0").map(MetricsAddress.at) ?? .auto
        settings.web.address = Address("127.0.0.1:0")
        let running = try await RunningServer(
            installation.folder, RunningServer.Options(settings: settings), log: book.log)
        let notes = DataLock.notes(installation.folder)
        await running.server.stop()
        await running.waitUntilStopped()
        let address = try #require(notes?.metrics)
        #expect(address.hasPrefix("127.0.0.1:") && book.values(of: "metrics") == [.text(address)])
        let page = try #require(notes?.web)
        #expect(page.hasPrefix("127.0.0.1:") && book.values(of: "web").contains(.text(page)))
        #expect(notes?.process == getpid())
        #expect(notes?.clockTrouble == nil && notes?.storeTrouble == nil)
    }

    @Test("they say why nothing can be stored, until something is stored again") func store() async throws {
        let installation = try Installation()
        try await installation.serving { _, server in
            let told = await server.storeTroubles(after: [.full, .unwritable, nil], in: installation.folder)
            #expect(
                told == [
                    "The disk with the store is full: make room on it.",
                    "The store can't be written: the log says why.", nil,
                ])
        }
    }

    @Test("they have an operator's word on the clock at once") func accepted() async throws {
        let installation = try Installation()
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
        let served = ServerClock.wall() + .seconds(86_400)
        try store.write { try $0.raiseGreatestServed(to: served, acceptances: nil) }
        try await installation.serving { _, server in
            #expect(DataLock.notes(installation.folder)?.clockTrouble?.contains("behind the time") == true)
            var orders = StandingOrders()
            orders.clockAcceptances = 1
            await server.handle([ReaderAnswer.orders(orders)])
            #expect(DataLock.notes(installation.folder)?.clockTrouble == nil)
            let clock = installation.book.events.filter { $0.hasPrefix("clock-") }
            // The store has no such order, so a second later the server may find the orders changed again.
            #expect(clock.prefix(3) == ["clock-not-sure", "clock-accepted", "clock-sure"])
        }
    }
}

extension Server {
    /// Returns the note about the store that is in the folder after each of these problems of a batch. All
    /// of it is one job on the server's event loop, so no other batch ends in between.
    fileprivate func storeTroubles(after problems: [StoreFailure?], in folder: DataFolder) -> [String?] {
        problems.map { problem in
            handle(CommitOutcome(tally: BatchTally(problem: problem)))
            watchStore()
            return DataLock.notes(folder)?.storeTrouble
        }
    }
}
