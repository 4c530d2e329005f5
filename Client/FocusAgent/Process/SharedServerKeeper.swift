import FocusContact
import FocusLink
import SystemKit

/// Keeps the server of `focus share` running if systemd doesn't. It belongs to the agent's thread.
final class SharedServerKeeper {
    private let sharing: ServerSharing
    private let log: (AgentLogEvent) -> Void
    /// The process that was started last, until it has ended.
    private var process: Int32?
    /// The failure that was logged last.
    private var failure: SharingFailure?

    init(_ sharing: ServerSharing, log: @escaping (AgentLogEvent) -> Void) {
        self.sharing = sharing
        self.log = log
    }

    /// Starts the server if it should run and doesn't.
    func check() {
        removeEnded()
        guard process == nil, sharing.needsStart else { return }
        do throws(SharingFailure) {
            let started = try sharing.startInBackground()
            process = started
            failure = nil
            log(.startedServer(process: started))
        } catch {
            if error != failure { log(.cannotStartServer(error)) }
            failure = error
        }
    }

    /// Collects the end of the process, so that the system can forget it.
    private func removeEnded() {
        guard let process else { return }
        var status: Int32 = 0
        if waitpid(process, &status, WNOHANG) != 0 { self.process = nil }
    }
}
