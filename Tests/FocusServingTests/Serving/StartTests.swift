import FocusCore
import FocusNet
import FocusServerCore
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServing

@Suite("The start of a server by its options", .ends(within: .seconds(300)))
struct StartTests {
    private let installation: Installation
    private let book = LogRecorder()

    init() throws { installation = try Installation() }

    /// Starts a server, ends it, and returns the endpoints at which it listened.
    private func endpoints(
        sockets: [Int32] = [], _ change: (inout ServerSettings) -> Void
    ) async throws -> [Endpoint] {
        var settings = ServerSettings()
        settings.metrics = .nowhere
        change(&settings)
        let running = try await RunningServer(
            installation.folder, RunningServer.Options(settings: settings, sockets: sockets), log: book.log)
        let endpoints = running.endpoints
        await running.server.stop()
        await running.waitUntilStopped()
        return endpoints
    }

    @Test("it listens only at the sockets that it is handed, and warns if the settings name another address")
    func sockets() async throws {
        for listen in [nil, "127.0.0.1:1"] {
            let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
            let (number, endpoint) = (socket.number, socket.endpoint)
            // The server closes it.
            socket.giveAway()
            let found = try await endpoints(sockets: [number]) { $0.listen = listen.flatMap { Address($0) } }
            #expect(found == [endpoint])
            let warning: [LogValue] =
                listen == nil ? [] : [.text("127.0.0.1:1"), .remedy(.settleSocketUnit)]
            #expect(book.values(of: "listen-passed-over") == warning)
        }
    }

    @Test("it doesn't warn of an address in the settings at which it listens") func address() async throws {
        let found = try await endpoints { $0.listen = Address("127.0.0.1:0") }
        #expect(found.count == 1 && !book.events.contains("listen-passed-over"))
        #expect(book.values(of: "ready") == found.map { LogValue.text("\($0)") })
    }

    @Test("it warns of proxies at all addresses, and not of others") func proxies() async throws {
        let some = ["10.0.0.0/8", "127.0.0.1"].compactMap { AddressRange($0) }
        let all = some + ["0.0.0.0/0"].compactMap { AddressRange($0) }
        for (proxies, web, warnings) in [(some, some, 0), (all, some, 1), (some, all, 2)] {
            _ = try await endpoints {
                $0.listen = Address("127.0.0.1:0")
                $0.proxies = proxies
                $0.web.proxies = web
            }
            #expect(book.events.count { $0 == "proxies-everybody" } == warnings)
        }
    }

    private struct Refused: Error {}

    @Test("it accepts a clock that is behind if the operator says so, and only if that is recorded")
    func acceptance() async throws {
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
        let served = ServerClock.wall() + .seconds(86_400)
        try store.write { try $0.raiseGreatestServed(to: served, acceptances: nil) }
        var settings = ServerSettings()
        settings.listen = Address("127.0.0.1:0")
        settings.metrics = .nowhere
        let options = RunningServer.Options(settings: settings)
        do {
            let running = try await RunningServer(
                installation.folder, options, log: book.log, acceptingClock: { throw Refused() })
            await running.server.stop()
            await running.waitUntilStopped()
            Issue.record("it started")
        } catch is Refused {}
        #expect(try store.read { try $0.greatestServed() } == served)

        let record = LogRecorder()
        let running = try await RunningServer(
            installation.folder, options, log: book.log,
            acceptingClock: { record.log.write(.info, "accepted") })
        let clock = await running.server.state?.clock
        await running.server.stop()
        await running.waitUntilStopped()
        #expect(clock?.shared != nil && record.events == ["accepted"])
        #expect(!book.events.contains("clock-not-sure"))
        #expect(try store.read { try $0.greatestServed() } < served)
    }
}
