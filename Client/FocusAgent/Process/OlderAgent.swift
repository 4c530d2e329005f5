import FocusDevice
import SystemKit

/// An agent from before the lock lay beside the log: it holds one beside its socket.
enum OlderAgent {
    /// The socket of one that runs; nil where none does.
    static func socket(of home: Home) -> String? { home.agentSockets.first { isHeld("\($0).lock") } }

    /// Takes away what such agents left.
    static func clearUp(after home: Home) {
        for socket in home.agentSockets where !isHeld("\(socket).lock") { unlink("\(socket).lock") }
    }

    private static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // It is let go as the descriptor is closed.
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0
    }
}
