/// Which file it is, whatever it is called: another file at the same path is another one.
package struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    /// The file that is open; nil where it can't be looked at.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file at `path`; nil where there is none, or it can't be looked at.
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

/// A file descriptor that is closed when it is let go, on every path.
package final class OwnedDescriptor {
    /// As the system numbers it.
    package let number: Int32
    private var isOwned = true

    /// Takes over `number`; nil where it says that a call failed.
    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { if isOwned { close(number) } }

    /// Somebody else closes it from now on.
    package func giveAway() { isOwned = false }
}

/// A path taken apart, byte by byte: a slash is one whatever comes behind it.
package enum PathParts {
    /// The folder that a path leads through last, or nil if the path is only a name. Slashes at the end don't count.
    package static func parent(of path: String) -> String? {
        let whole = trimmed(path[...])
        guard let slash = whole.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let parent = trimmed(whole[..<slash])
        return parent.isEmpty ? "/" : String(parent)
    }

    /// The last part of a path, without slashes.
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

/// The names in a file's folder.
package struct FolderNames: Sendable {
    private let folder: String

    /// Those beside the file at `path`.
    package init(of path: String) { folder = PathParts.parent(of: path) ?? "." }

    /// Has them survive a loss of power: a file that was made, renamed or removed there stays so.
    ///
    /// - Throws: `SystemError`, which names the folder.
    package func makeDurable() throws(SystemError) {
        guard let descriptor = OwnedDescriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw SystemError("\(folder) can't be made durable")
        }
        try FileDescriptor(descriptor.number, named: folder).makeDurable()
    }
}

/// Looking again and again, a hundredth of a second apart, at something that tells nobody when it changes.
package enum Looking {
    private static let pause = Duration.milliseconds(10)

    /// Looks until there is something.
    ///
    /// - Parameters:
    ///   - limit: for how long at most; what it takes to look isn't counted.
    ///   - look: gives what there is; nil where that isn't there yet.
    /// - Returns: what there is; nil where it didn't come in time.
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
