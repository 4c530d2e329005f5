import FocusCore
import FocusNet
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServerCore
@testable import FocusServing

@Suite("What a server says to its supervisor, and shows of its state", .ends(within: .seconds(300)))
struct SupervisorReportTests {
    private let folder: TemporaryFolder
    private let supervisor: Supervisor

    init() throws {
        folder = try TemporaryFolder()
        supervisor = try Supervisor(at: folder.file("notify"))
    }

    private func socket() throws -> NotifySocket { try NotifySocket(in: folder) }

    @Test("a supervisor that doesn't watch is told each change once") func changes() throws {
        let socket = try socket()
        var report = Server.Report(supervisor: supervisor, isWatched: false)
        report.send([.ready, .status("one")])
        #expect(try socket.next() == ["READY=1", "STATUS=one"])
        report.send([.ready, .status("one")])
        #expect(socket.isSilent)
        // The supervisor knows only the last status, so a former one is a change again.
        for status in ["two", "one"] {
            report.send([.ready, .status(status)])
            #expect(try socket.next() == ["STATUS=\(status)"])
        }
        report.send([.stopping, .status("one")])
        #expect(try socket.next() == ["STOPPING=1"])
        #expect(socket.isSilent)
    }

    @Test("a supervisor that watches gets a sign of life each time") func signs() throws {
        let socket = try socket()
        var report = Server.Report(supervisor: supervisor, isWatched: true)
        report.send([.ready, .status("one")])
        #expect(try socket.next() == ["READY=1", "STATUS=one", "WATCHDOG=1"])
        for _ in 0..<2 {
            report.send([.ready, .status("one")])
            #expect(try socket.next() == ["WATCHDOG=1"])
        }
    }

    @Test("notices that could not be sent are sent with the next ones") func unsent() throws {
        var report = Server.Report(supervisor: supervisor, isWatched: false)
        report.send([.ready, .status("one")])
        let socket = try socket()
        report.send([.ready, .status("two")])
        #expect(try socket.next() == ["READY=1", "STATUS=two"])
    }

    @Test("it speaks twice within the time that the supervisor waits, and at least every 5 seconds")
    func interval() {
        #expect(Server.Report.interval(watchdog: .milliseconds(400)) == .milliseconds(200))
        #expect(Server.Report.interval(watchdog: .seconds(30)) == .seconds(5))
        #expect(Server.Report.interval(watchdog: nil) == .seconds(5))
    }

    @Test("a server says that it can be used, how it stands, and that it ends") func life() async throws {
        let socket = try socket()
        let installation = try Installation()
        try await installation.serving { endpoint, server in
            await server.report(to: supervisor, watchdog: nil)
            #expect(
                try socket.next() == [
                    "READY=1", "STATUS=Serving 0 groups with 0 devices, 0 connections now.",
                ])
            let laptop = try await installation.founder(at: endpoint)
            await server.notifySupervisor()
            try socket.waitFor("STATUS=Serving 1 group with 1 device, 1 connection now.")
            await server.stop()
            #expect(try socket.next() == ["STOPPING=1", "STATUS=Stopping; 1 connection left."])
            #expect(try await laptop.nextRefusal() == .shuttingDown)
        }
    }

    @Test("a watched server gives signs of life by itself") func alive() async throws {
        let socket = try socket()
        let installation = try Installation()
        try await installation.serving { _, server in
            await server.report(to: supervisor, watchdog: .milliseconds(20))
            for _ in 0..<4 {
                let said = try socket.next()
                #expect(said.contains("WATCHDOG=1"))
            }
        }
    }

    @Test("the state has what the server holds, the newest event, and the store's answers")
    func state() async throws {
        let installation = try Installation()
        try await installation.serving { endpoint, server in
            let empty = try #require(await server.state)
            #expect(empty.groups == 0 && empty.devices == 0 && empty.connections == 0)
            #expect(empty.logAhead == nil && empty.clock.shared != nil && empty.backup == nil)

            let laptop = try await installation.founder(at: endpoint)
            var author = Author(1)
            let before = ServerClock.wall()
            await laptop.send(.upload(try author.write(3)))
            _ = try await laptop.nextAck()
            await server.receiveHalfMessages(of: 1_000)
            let state = try #require(await server.state)
            let after = ServerClock.wall()
            #expect(state.groups == 1 && state.devices == 1 && state.connections == 1)
            #expect(state.bufferedBytes >= 1_000)
            // The events have the stamp of the fixture's instant, which is long past.
            let ahead = try #require(state.logAhead)
            #expect(ahead <= ServerFixture.now - before && ahead >= ServerFixture.now - after)
            #expect(!state.isStopping && state.storeProblem == nil && state.troubles == [])
            try await waitUntil("the store was checked") { await server.state?.storeRoundTrip != nil }
            #expect(await server.storeProblem(after: .full) == .full)
            await laptop.close()
        }
    }

    @Test("the state has the clock's lag behind the time served before") func lag() async throws {
        let installation = try Installation()
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
        let served = ServerClock.wall() + .seconds(86_400)
        try store.write { try $0.raiseGreatestServed(to: served, acceptances: nil) }
        let socket = try socket()
        try await installation.serving { _, server in
            let before = ServerClock.wall()
            let state = try #require(await server.state)
            #expect(state.clock.shared == nil)
            #expect(state.clockOffset >= before - served && state.clockOffset < .zero)
            await server.report(to: supervisor, watchdog: nil)
            let notices = try socket.next()
            #expect(notices.first == "READY=1")
            #expect(notices.last?.hasPrefix("STATUS=Not ready. The clock is ") == true, "\(notices)")
        }
    }
}

extension Server {
    /// Has a message of 1 MiB begin on each connection, with `count` bytes of its body.
    fileprivate func receiveHalfMessages(of count: Int) {
        for client in switchboard?.clients.all ?? [] {
            switchboard?.received(
                [0, 0x10, 0, 0, 0x20] + [UInt8](repeating: 0, count: count), on: client.connection.id)
        }
    }

    /// Returns the store's problem in the state right after a batch that was not stored.
    fileprivate func storeProblem(after problem: StoreFailure) -> StoreFailure? {
        handle(CommitOutcome(tally: BatchTally(problem: problem)))
        return state?.storeProblem
    }
}
