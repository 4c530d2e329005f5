/// The identity of a file, independent of its name. Another file at the same path has another identity.
package struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    /// The identity of an open file, or nil if it can't be determined.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The identity of the file at `path`, or nil if there is none or it can't be determined.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
    }
}

/// A file descriptor that is closed when the last reference to this object goes.
package final class OwnedDescriptor {
    /// The descriptor's number.
    package let number: Int32
    private var isOwned = true

    /// Takes ownership of the descriptor `number`. Nil if `number` is negative, which means that a call
    /// failed.
    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { if isOwned { close(number) } }

    /// Gives up ownership: other code closes the descriptor from now on.
    package func giveAway() { isOwned = false }
}

/// The parts of a path, split by bytes: a slash counts even if a combining character follows it.
package enum PathParts {
    /// Returns the folder of the path's last part, or nil if the path is only a name. Slashes at the end
    /// don't count.
    package static func parent(of path: String) -> String? {
        let whole = trimmed(path[...])
        guard let slash = whole.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let parent = trimmed(whole[..<slash])
        return parent.isEmpty ? "/" : String(parent)
    }

    /// Returns the last part of a path, without slashes.
    package static func name(of path: String) -> String {
        let whole = trimmed(path[...])
        guard let slash = whole.utf8.lastIndex(of: UInt8(ascii: "/")) else { return String(whole) }
        return String(whole[whole.utf8.index(after: slash)...])
    }

    private static func trimmed(_ path: Substring) -> Substring {
        let end = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
        return path[..<(end.map { path.utf8.index(after: $0) } ?? path.startIndex)]
    }
}

/// The directory entries in a file's folder.
package struct FolderEntries: Sendable {
    private let folder: String

    /// The entries of the folder that contains `path`.
    package init(of path: String) { folder = PathParts.parent(of: path) ?? "." }

    /// Makes the entries survive a loss of power: files made, renamed or removed in the folder stay so.
    ///
    /// - Throws: `SystemError`, which names the folder.
    package func makeDurable() throws(SystemError) {
        guard let descriptor = OwnedDescriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw SystemError("\(folder) can't be made durable")
        }
        try FileDescriptor(descriptor.number, named: folder).makeDurable()
    }
}

/// Polling, every hundredth of a second, for a change that nothing announces.
package enum Polling {
    private static let pause = Duration.milliseconds(10)

    /// Calls `look` until it returns a value.
    ///
    /// - Parameters:
    ///   - limit: The maximum time. Only the pauses count, not the time of the calls.
    ///   - look: Returns the value, or nil if it isn't there yet.
    /// - Returns: The value, or nil if it wasn't there in time.
    package static func wait<Found, Failure>(
        atMost limit: Duration, for look: () throws(Failure) -> Found?
    ) throws(Failure) -> Found? {
        for _ in 0..<Int(limit / pause) {
            if let found = try look() { return found }
            poll(nil, 0, 10)
        }
        return nil
    }
}
