/// An open file, pipe or terminal, for reading and writing whole texts.
package struct FileDescriptor: Sendable {
    private let number: Int32
    /// The name used in messages.
    private let name: String

    /// The input of the process. Called "standard input" in messages.
    package static let standardInput = FileDescriptor(STDIN_FILENO, named: "standard input")
    /// The output for data. Called "standard output" in messages.
    package static let standardOutput = FileDescriptor(STDOUT_FILENO, named: "standard output")
    /// The output for messages. Called "standard error" in messages.
    package static let standardError = FileDescriptor(STDERR_FILENO, named: "standard error")

    /// A descriptor that is open already, with a name for messages.
    package init(_ number: Int32, named name: String) {
        self.number = number
        self.name = name
    }

    /// Whether it is a terminal.
    package var isTerminal: Bool { isatty(number) == 1 }

    /// The terminal's width in columns, or nil if it is no terminal or doesn't report a width.
    package var terminalColumns: Int? {
        var size = winsize()
        guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Returns all bytes up to the end.
    package func readAll() throws(SystemError) -> [UInt8] { try bytes.rest() }

    /// Its bytes, read piece by piece. The descriptor must stay open while they are read.
    package var bytes: ByteSource { ByteSource { () throws(SystemError) in try next() } }

    /// Returns the next bytes, or none at the end.
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
    /// - Throws: `SystemError`, also if there are fewer bytes.
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

    /// Makes the written bytes survive a loss of power (fsync(2)).
    package func makeDurable() throws(SystemError) {
        guard fsync(number) == 0 else { throw SystemError("\(name) can't be made durable") }
    }

    /// Writes all of the text in one call, so that the lines of several writers don't mix.
    ///
    /// - Throws: `SystemError`, also if only part of the text was written.
    package func writeAtOnce(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { SystemKit.write(number, $0.baseAddress, $0.count) }
        guard count == bytes.count else {
            throw SystemError("\(name) can't be written to", code: count < 0 ? errno : ENOSPC)
        }
    }

    /// Whether a read now would not wait.
    package var hasMore: Bool {
        var input = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) > 0
    }

    /// Whether the other end of standard output is still open.
    package static var isOutputRead: Bool {
        // Without requested events poll(2) still reports a closed other end.
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) <= 0
    }

    /// Opens the file at `path` for reading piece by piece; `-` means standard input.
    package static func bytes(of path: String) throws(SystemError) -> ByteSource {
        if path == "-" { return standardInput.bytes }
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("\(path) can't be opened") }
        let file = OpenFile(FileDescriptor(number, named: path))
        return ByteSource { () throws(SystemError) in try file.descriptor.next() }
    }

    /// Returns the bytes of the file at `path`; `-` means standard input.
    package static func contents(of path: String) throws(SystemError) -> [UInt8] {
        try bytes(of: path).rest()
    }

    /// Closes its descriptor when it is released.
    private final class OpenFile {
        let descriptor: FileDescriptor

        init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

        deinit { close(descriptor.number) }
    }
}

/// A file, or standard input, read piece by piece.
package struct ByteSource {
    private let read: () throws(SystemError) -> [UInt8]

    /// - Parameter read: Returns the next bytes, or none at the end.
    package init(_ read: @escaping () throws(SystemError) -> [UInt8]) { self.read = read }

    /// Returns the next bytes, or none at the end.
    package func next() throws(SystemError) -> [UInt8] { try read() }

    /// Returns all remaining bytes.
    package func rest() throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let chunk = try next()
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
    }
}

/// A failed system call: the attempted action, and the reason of the failure.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failed action, such as "notes.jsonl can't be read".
    package let action: String
    /// The system's number for the reason (`errno`).
    package let code: Int32

    /// An error with a known number, for calls that don't set `errno`.
    package init(_ action: String, code: Int32) {
        self.action = action
        self.code = code
    }

    /// An error with the `errno` of the last failed call.
    package init(_ action: String) { self.init(action, code: errno) }

    package var description: String {
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return "\(action): \(reason)"
    }
}
