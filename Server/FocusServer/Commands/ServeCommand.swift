import FocusNet
import Glibc

/// `focusd serve`: the server, until it is told to stop.
struct ServeCommand {
    let options: RunningServer.Options
    let supervision: Supervision

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) async throws {
        let supervisor = try supervision.notifyAddress.map(Supervisor.init(at:))
        var options = options
        options.sockets = supervision.sockets
        let running = try await RunningServer(folder, options)
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
