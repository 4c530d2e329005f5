import FocusNet
import Glibc

/// `focusd serve`: the server, until it is told to stop.
struct ServeCommand {
    let options: RunningServer.Options

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) async throws {
        let running = try await RunningServer(folder, options)
        do {
            try await running.server.stopOnSignals()
        } catch {
            await running.server.stop()
            await running.waitUntilStopped()
            throw error
        }
        // Whoever started it may have closed standard output; laptops are served all the same.
        try? console.data("focusd is ready at \(running.endpoint).\n")
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
