import CommandLineKit
import FocusCore
import FocusNet
import FocusSeal
package import FocusServerStore
import FocusServing
import FocusSync
import FocusText
import SystemKit

/// `focusd init`: makes the server's key and its store, or changes the addresses of a server that exists.
package struct InitCommand {
    let addresses: [String]

    /// - Parameter addresses: The addresses that invites name. If empty, the stored addresses stay. If none
    ///   are stored either, the machine's name is used.
    package init(addresses: [String]) { self.addresses = addresses }

    /// Makes or changes the server in this folder.
    ///
    /// - Throws: `CommandFailure`, or the error that keeps the folder from being used.
    package func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        guard addresses.count <= Limits.laptopAddresses else {
            throw CommandFailure("A server has at most \(Limits.laptopAddresses) addresses.", .usage)
        }
        try folder.create()
        let identity = try IdentityFile(path: folder.identity).loadOrCreate()
        if folder.place.isInFolder, access(folder.store, F_OK) == 0 {
            try folder.upgradeStore { console.messages(folder.sentence(on: $0)) }
        }
        let store = try folder.openStore(.making)
        let (before, kept) = try store.write { store in
            let before = try store.addresses()
            guard !addresses.isEmpty || before.isEmpty else { return (before, before) }
            let new = addresses.isEmpty ? [try InitCommand.hostName()] : addresses
            try store.replaceAddresses(with: new)
            try AuditLog(folder).write("addresses-set", [("addresses", new.joined(separator: ","))])
            return (before, new)
        }
        let next =
            DataLock.isHeld(folder)
            ? InitCommand.notice(before, kept) : "Next: \(folder.startCommand())"
        try console.data(
            """
            The server in \(folder.path) has the key \(identity.keyHash.hexadecimal).
            Invites name \(InviteAddresses.named(kept).joined(separator: ", ")).
            \(next)
            Then, for each group: \(folder.command("invite"))

            """)
    }

    /// Returns the sentence about a running server, which had other addresses in its invites before. It
    /// listens at a new port only after a restart.
    private static func notice(_ before: [String], _ now: [String]) -> String {
        let port = Address.listeningPort(now)
        guard Address.listeningPort(before) != port else { return "It serves already." }
        return "It serves already. Unless 'listen' names a port, it listens at \(port) only after a restart."
    }

    /// Returns the machine's name. Throws if it has none, or if the name can't be an address.
    private static func hostName() throws(CommandFailure) -> String {
        guard let text = OwnAddresses.machineName else {
            throw CommandFailure("This machine has no name. Say how laptops reach it with --address.")
        }
        return text
    }
}

/// `focusd serve`: runs the server until it is told to stop.
struct ServeCommand {
    let settings: ServerSettings
    /// Whether to accept this machine's clock even if it is behind a time that the server has served before.
    let acceptsClock: Bool
    let supervision: Supervision

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) async throws {
        let supervisor = try supervision.notifyAddress.map(Supervisor.init(at:))
        let options = RunningServer.Options(settings: settings, sockets: supervision.sockets)
        let running = try await RunningServer(
            folder, options, log: .standardError(settings.log, folder),
            acceptingClock: acceptsClock ? { try AuditLog(folder).write("clock-accepted") } : nil)
        do {
            try await running.server.stopOnSignals()
            if let supervisor { await running.server.report(to: supervisor, watchdog: supervision.watchdog) }
        } catch {
            await running.server.stop()
            await running.waitUntilStopped()
            throw error
        }
        // Standard output may be closed; the server serves nevertheless.
        let places = running.endpoints.map(\.description).joined(separator: ", ")
        try? console.data("focusd is ready at \(places).\n")
        await running.waitUntilStopped()
    }
}

/// The addresses that invites name.
enum InviteAddresses {
    /// Returns the addresses of the store, with this machine's own in place of `auto`. Without a network that is only
    /// the loopback address, because an invite needs one. May wait for the network.
    static func named(_ stored: [String]) -> [String] {
        let found = OwnAddresses.expanded(stored, limit: Limits.laptopAddresses)
        guard found.isEmpty, let first = stored.first.flatMap({ Address($0) }) else { return found }
        return [Address.text(host: "127.0.0.1", port: first.port ?? Address.defaultPort)]
    }
}

extension Server {
    /// Stops the server when the process is told to end.
    fileprivate func stopOnSignals() throws {
        for signal in [SIGTERM, SIGINT] {
            try loop.onSignal(signal) { [weak self] in self?.assumeIsolated { $0.stop() } }
        }
    }
}

/// `focusd config`: lists the values of the settings and the source of each. It needs no server.
struct ConfigCommand {
    let settings: EffectiveSettings

    func run(json: Bool, _ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        try console.data(json ? "\(object(folder))\n" : lines(folder))
    }

    private func object(_ folder: DataFolder) -> JSON {
        let items = Setting.all.map { setting in
            let source = settings.source(of: setting)
            var line: Int64?
            if case .file(let number) = source { line = Int64(number) }
            return JSON.object([
                JSON.Member("name", .string(setting.name)),
                JSON.Member("value", .string(setting.text(settings.values))),
                JSON.Member("source", .string("\(source)")),
                JSON.Member("line", .optional(line)),
                JSON.Member("default", .string(setting.standard)),
                JSON.Member("variable", .string(setting.variable)),
                JSON.Member("allowed", .string(setting.allowed)),
            ])
        }
        return .object([
            JSON.Member("file", .string(folder.settings)), JSON.Member("settings", .array(items)),
        ])
    }

    private func lines(_ folder: DataFolder) -> String {
        let rows =
            [["SETTING", "VALUE", "FROM", "DEFAULT"]]
            + Setting.all.map { setting in
                let source = settings.source(of: setting)
                let place = if case .file(let line) = source { "line \(line)" } else { "\(source)" }
                return [setting.name, setting.text(settings.values), place, setting.standard]
            }
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = cells.joined(separator: "  ")
            // Without the spaces at the line's end.
            return String(line[...(line.lastIndex { $0 != " " } ?? line.startIndex)])
        }
        return "The file is \(folder.settings).\n\n" + lines.map { "\($0)\n" }.joined()
    }
}
