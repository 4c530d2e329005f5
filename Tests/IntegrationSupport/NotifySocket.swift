import FocusCore
import Glibc
package import TestSupport

/// A supervisor's socket, as systemd has: on it a test receives a process's notices.
package final class NotifySocket {
    package let path: String
    private let descriptor: Int32

    package init(in folder: TemporaryFolder) throws {
        path = folder.file("notify")
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Unmet("\(path) is too long for a socket")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard status == 0 else { throw Unmet("nobody can listen at \(path)") }
    }

    deinit { close(descriptor) }

    /// Returns the next message, one notice a line.
    ///
    /// - Throws: `Unmet` if none arrives in time.
    package func next() throws -> [String] {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, Int32(patience.seconds * 1000)) == 1 else { throw Unmet("no notice came") }
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
