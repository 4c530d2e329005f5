import FocusDevice
import SystemKit

/// The file that a manager of services reads.
enum ServiceFile {
    /// Writes all of the text, or leaves what is there. Makes the folders that are missing.
    static func write(_ text: String, to path: String) throws(SystemError) {
        if let end = path.lastIndex(of: "/") { try Home.createFolder(String(path[..<end])) }
        let draft = "\(path).new"
        let number = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard number >= 0 else { throw SystemError("\(draft) can't be written") }
        do throws(SystemError) {
            defer { close(number) }
            try FileDescriptor(number, named: draft).write(text)
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else {
            let error = SystemError("\(path) can't be written")
            unlink(draft)
            throw error
        }
    }

    static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("\(path) can't be removed") }
    }
}
