import FocusCore
import Glibc

/// A supervisor's socket, as systemd has: on it a test receives a process's notices.
package final class NotifySocket: Sendable {
    package let path: String
    private let descriptor: Int32

    /// The system's error code because of which there is no socket.
    private struct Failure: Error { let code: Int32 }

    package init(in folder: TemporaryFolder) throws {
        path = folder.file("notify")
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failure(code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard status == 0 else { throw Failure(code: errno) }
    }

    deinit { close(descriptor) }

    /// Returns the next message, one notice a line.
    ///
    /// - Throws: `WaitTimeout` if none arrives in time.
    package func next() throws -> [String] {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Int32(WaitTimeout.patience.inMilliseconds)) == 1 else {
            throw WaitTimeout("a notice arrives")
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }

    /// Whether no message waits to be read.
    package var isSilent: Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) == 0
    }

    /// Drops the messages that have arrived so far.
    package func forget() throws {
        while !isSilent { _ = try next() }
    }

    /// Waits for a message with this notice.
    package func waitFor(_ notice: String) throws {
        while try !next().contains(notice) {}
    }
}
