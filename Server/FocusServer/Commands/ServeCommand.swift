import FocusNet
import FocusServerFiles
import FocusServing
import SystemKit

/// `focusd serve`: the server, until it is told to stop.
struct ServeCommand {
    let settings: ServerSettings
    /// Whether this machine's clock is taken for right although it is behind the time served before.
    let acceptsClock: Bool
    let supervision: Supervision

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) async throws {
        let supervisor = try supervision.notifyAddress.map(Supervisor.init(at:))
        let options = RunningServer.Options(settings: settings, sockets: supervision.sockets)
        let running = try await RunningServer(
            folder, options, log: .standardError(settings.log),
            acceptingClock: acceptsClock ? { try AuditLog(folder).write("clock-accepted") } : nil)
        do {
            try await running.server.stopOnSignals()
            if let supervisor { await running.server.report(to: supervisor, watchdog: supervision.watchdog) }
        } catch {
            await running.server.stop()
            await running.waitUntilStopped()
            throw error
        }
        // Whoever started it may have closed standard output; laptops are served all the same.
        let places = running.endpoints.map(\.description).joined(separator: ", ")
        try? console.data("focusd is ready at \(places).\n")
        await running.waitUntilStopped()
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
