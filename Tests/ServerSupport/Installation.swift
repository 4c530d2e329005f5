package import FocusCore
package import FocusNet
package import FocusSeal
package import FocusServer
package import FocusServerCore
package import FocusServerStore
package import FocusServing
import FocusSync
import Foundation
import SQLiteKit
import Synchronization
import TestSupport
import Testing

/// A data folder as `focusd init` makes it, and the output of the commands that are run on it.
package final class Installation: Sendable {
    package let folder: DataFolder
    private let temporary: Mutex<TemporaryFolder>
    private let printed = Mutex("")
    /// The server's log.
    package let book = LogRecorder()

    /// - Parameters:
    ///   - place: The place of the server's store.
    ///   - other: A server that shares the store. The new folder gets a copy of its key, because laptops
    ///     trust only one.
    package init(at place: StoreLocation = .folder, besides other: Installation? = nil) throws {
        let temporary = try TemporaryFolder()
        var folder = temporary.data
        folder.place = place
        self.folder = folder
        self.temporary = Mutex(temporary)
        if let other {
            try FileManager.default.copyItem(atPath: other.folder.identity, toPath: folder.identity)
        }
        try InitCommand(addresses: ["127.0.0.1"]).run(folder, console)
    }

    package var console: FocusdProgram.Console {
        FocusdProgram.Console(
            data: { text in self.printed.withLock { $0 = text } }, messages: { _ in })
    }

    /// The hash of the server's key.
    package func key() throws -> Digest {
        try #require(try IdentityFile(path: folder.identity).load()).keyHash
    }

    /// Returns an invite that `focusd invite` prints.
    package func invite() throws -> Invite {
        try OperatorInviteCommand(lifetime: .seconds(60)).run(folder, console)
        return try Invite(printed.withLock { $0 })
    }

    /// Changes the server's database from outside the server.
    package func execute(_ sql: String) throws {
        try Database(path: folder.store, access: .readWrite).execute(sql)
    }

    /// Runs the server while `body` runs.
    ///
    /// - Parameters:
    ///   - web: The page for browsers.
    ///   - period: The time between two searches for changes by other servers that nobody has announced.
    ///   - findHosts: Finds the machine's own hosts.
    package func serving<Value>(
        _ limits: ServerLimits = ServerLimits(), web: WebSettings = WebSettings(),
        lookingEvery period: Duration = NewsPoller.period,
        finding findHosts: @escaping @Sendable () -> [String] = { OwnAddresses.find() },
        _ body: (Endpoint, Server) async throws -> Value
    ) async throws -> Value {
        var settings = ServerSettings()
        settings.listen = Address("127.0.0.1:0")
        settings.metrics = .nowhere
        settings.limits = limits
        settings.web = web
        let running = try await RunningServer(
            folder, RunningServer.Options(settings: settings), log: book.log, lookingEvery: period,
            finding: findHosts)
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body(#require(running.endpoints.first), running.server))
        } catch {
            outcome = .failure(error)
        }
        await running.server.stop()
        await running.waitUntilStopped()
        return try outcome.get()
    }
}
