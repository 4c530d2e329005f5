import CommandLineKit
import FocusServerFiles
import FocusWriter
import SystemKit

/// `audit.log` in the data folder: what its operators did to the server, a line an act, kept for ever.
struct AuditLog {
    private let folder: DataFolder

    init(_ folder: DataFolder) { self.folder = folder }

    /// Writes a line, durably: when, what was done, by which user, and to what. Never a secret.
    ///
    /// - Throws: where it can't be written; then the act isn't to be done either.
    func write(_ act: String, _ fields: [(key: String, value: String)] = []) throws(CommandFailure) {
        let path = folder.audit
        let line = LogLine.text(.info, act, AuditLog.who + fields, time: ServerClock.wall())
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw CommandFailure(errno: "\(path) can't be opened") }
        defer { close(descriptor) }
        folder.takeOver(path)
        // One call a line, so that lines of several commands don't mix.
        do {
            try FileDescriptor(descriptor, named: path).writeAtOnce(line)
        } catch {
            throw CommandFailure.about(error)
        }
        guard fsync(descriptor) == 0 else { throw CommandFailure(errno: "\(path) can't be written to") }
    }

    /// The user who runs this process, and who had sudo run it as another.
    private static var who: [(key: String, value: String)] {
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
        let sudo = getenv("SUDO_USER").map { [("for", String(cString: $0))] } ?? []
        return [("user", user)] + sudo
    }
}
