import SystemKit

/// Keeps the agent's log from growing for ever: of one that has grown too long the last half stays.
package struct LogTrimming: Sendable {
    private let path: String
    /// How long the log may grow, in bytes.
    private let longest: Int

    /// How long the agent's log may grow, in bytes.
    package static let longest = 1 << 20

    /// Trims the file at this path.
    ///
    /// - Parameter longest: how long it may grow, in bytes.
    package init(path: String, longest: Int = LogTrimming.longest) {
        self.path = path
        self.longest = longest
    }

    /// Trims the log where it is too long. What is written by the descriptor `output` goes on to it, where that led
    /// there. Whatever fails leaves the log as it was: it is trimmed into a new file, which takes its name once it is whole.
    ///
    /// - Returns: whether it was trimmed.
    @discardableResult
    package func trim(_ output: Int32 = STDERR_FILENO) -> Bool {
        var status = stat()
        // What a link leads to is not this agent's to trim.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > longest
        else { return false }
        let log = FileIdentity(path: path)
        let isOutput = log != nil && FileIdentity(descriptor: output) == log
        let new = "\(path).new"
        // A crash may have left one.
        unlink(new)
        let descriptor = NewFile.open(new, O_RDWR | O_EXCL | O_APPEND)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let written = FileDescriptor(descriptor, named: new)
        guard let end = end(of: path, Int(status.st_size)), (try? written.write(end)) != nil,
            fsync(descriptor) == 0, rename(new, path) == 0
        else {
            unlink(new)
            return false
        }
        if isOutput { dup2(descriptor, output) }
        return true
    }

    /// The last half of what a log may be, from a line's beginning on; nil where it can't be read.
    private func end(of path: String, _ size: Int) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard lseek(descriptor, off_t(max(0, size - longest / 2)), SEEK_SET) >= 0,
            let bytes = try? FileDescriptor(descriptor, named: path).readAll()
        else { return nil }
        // What was added since the look counts too, and what has no line's end is one line.
        let kept = bytes.suffix(longest)
        let begin = kept.firstIndex(of: UInt8(ascii: "\n")).map { kept.index(after: $0) } ?? kept.startIndex
        return String(decoding: kept[begin...], as: UTF8.self)
    }
}
