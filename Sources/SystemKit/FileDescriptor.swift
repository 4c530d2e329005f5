/// Whole texts through an open file, a pipe or a terminal.
package struct FileDescriptor: Sendable {
    private let number: Int32
    /// What stands for it in messages.
    private let name: String

    /// What the process reads. Called "standard input" in messages.
    package static let standardInput = FileDescriptor(STDIN_FILENO, named: "standard input")
    /// Where the process writes data. Called "standard output" in messages.
    package static let standardOutput = FileDescriptor(STDOUT_FILENO, named: "standard output")
    /// Where the process writes messages. Called "standard error" in messages.
    package static let standardError = FileDescriptor(STDERR_FILENO, named: "standard error")

    /// One that is open already, and called so in messages.
    package init(_ number: Int32, named name: String) {
        self.number = number
        self.name = name
    }

    /// Whether a person sits at the other end.
    package var isTerminal: Bool { isatty(number) == 1 }

    /// How wide the terminal is; nil where this is none, or it doesn't say.
    package var terminalColumns: Int? {
        var size = winsize()
        guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// All bytes up to the end.
    package func readAll() throws(SystemError) -> [UInt8] { try bytes.rest() }

    /// Its bytes, read piece by piece; it has to stay open as long.
    package var bytes: ByteSource { ByteSource { () throws(SystemError) in try next() } }

    /// The next bytes; none at the end.
    private func next() throws(SystemError) -> [UInt8] {
        let size = 65536
        while true {
            var code: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                let read = SystemKit.read(number, buffer.baseAddress, size)
                code = read < 0 ? errno : 0
                count = max(0, read)
            }
            if code == 0 { return bytes }
            if code != EINTR { throw SystemError("\(name) can't be read", code: code) }
        }
    }

    /// Fills the buffer with the next bytes.
    ///
    /// - Throws: `SystemError`, also where there are fewer.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(SystemError) {
        var filled = 0
        while filled < buffer.count {
            let count = SystemKit.read(
                number, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError("\(name) can't be read", code: count < 0 ? errno : EIO) }
            filled += count
        }
    }

    /// Writes all of the text.
    package func write(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        try write(bytes.span.bytes)
    }

    /// Writes all of the bytes.
    package func write(_ bytes: RawSpan) throws(SystemError) {
        var written = 0
        while written < bytes.byteCount {
            let count = bytes.withUnsafeBytes {
                SystemKit.write(number, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno != EINTR { throw SystemError("\(name) can't be written to") }
            written += max(0, count)
        }
    }

    /// Has what was written survive a loss of power.
    package func makeDurable() throws(SystemError) {
        guard fsync(number) == 0 else { throw SystemError("\(name) can't be made durable") }
    }

    /// Writes all of the text in one call, so that lines of several writers don't mix.
    ///
    /// - Throws: `SystemError`, also where a part of it was written.
    package func writeAtOnce(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { SystemKit.write(number, $0.baseAddress, $0.count) }
        guard count == bytes.count else {
            throw SystemError("\(name) can't be written to", code: count < 0 ? errno : ENOSPC)
        }
    }

    /// Whether it can be read now without waiting.
    package var hasMore: Bool {
        var input = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) > 0
    }

    /// Whether somebody may still read standard output.
    package static var isOutputRead: Bool {
        // Asked for nothing, it still tells when its other end is closed.
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) <= 0
    }

    /// The file at `path`, to be read; standard input where that is `-`.
    package static func bytes(of path: String) throws(SystemError) -> ByteSource {
        if path == "-" { return standardInput.bytes }
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("\(path) can't be opened") }
        let file = OpenFile(FileDescriptor(number, named: path))
        return ByteSource { () throws(SystemError) in try file.descriptor.next() }
    }

    /// The bytes of the file at `path`; of standard input where that is `-`.
    package static func contents(of path: String) throws(SystemError) -> [UInt8] {
        try bytes(of: path).rest()
    }

    /// Closes what it holds.
    private final class OpenFile {
        let descriptor: FileDescriptor

        init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

        deinit { close(descriptor.number) }
    }
}

/// A file, or standard input, read piece by piece.
package struct ByteSource {
    private let read: () throws(SystemError) -> [UInt8]

    /// - Parameter read: Gives the next bytes, none at the end.
    package init(_ read: @escaping () throws(SystemError) -> [UInt8]) { self.read = read }

    /// The next bytes; none at the end.
    package func next() throws(SystemError) -> [UInt8] { try read() }

    /// All bytes that are left.
    package func rest() throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try next()
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }
}

/// A call of the system that failed: what was being done, and why it can't be.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What can't be done, as "notes.jsonl can't be read".
    package let action: String
    /// The system's number for the reason.
    package let code: Int32

    /// An error whose number is known, where `errno` doesn't hold it.
    package init(_ action: String, code: Int32) {
        self.action = action
        self.code = code
    }

    /// The error that the last failed call left in `errno`.
    package init(_ action: String) { self.init(action, code: errno) }

    package var description: String {
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return "\(action): \(reason)"
    }
}
