import SystemKit

/// Limits the length of a log, a text file: the agent's, or that of the server on this laptop. If it is too
/// long, only its end is kept: about half of the greatest length.
package struct LogTrimmer: Sendable {
    private let path: String
    /// The greatest length of the log, in bytes.
    private let longest: Int

    /// The greatest length of a log by default, in bytes.
    package static let longest = 1 << 20

    /// A trimmer of the log file at this path.
    ///
    /// - Parameter longest: The greatest length of the log, in bytes.
    package init(path: String, longest: Int = LogTrimmer.longest) {
        self.path = path
        self.longest = longest
    }

    /// Trims the log if it is too long. The rest of the log is written to a new file, which takes the log's
    /// name when complete, so an error leaves the log as it was. The descriptor `output` is redirected to the
    /// new file if it was open on the old one.
    ///
    /// - Parameter output: The descriptor by which the agent writes to the log.
    /// - Returns: Whether the log was trimmed.
    @discardableResult
    package func trim(_ output: Int32 = STDERR_FILENO) -> Bool {
        guard let length = excessiveLength else { return false }
        let log = FileIdentity(path: path)
        let isOutput = log != nil && FileIdentity(descriptor: output) == log
        let newPath = "\(path).new"
        // A crash may have left the new file.
        unlink(newPath)
        let descriptor = NewFile.open(newPath, O_RDWR | O_EXCL | O_APPEND)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let newFile = FileDescriptor(descriptor, named: newPath)
        guard let end = end(of: path, length), (try? newFile.write(end)) != nil,
            fsync(descriptor) == 0, rename(newPath, path) == 0
        else {
            unlink(newPath)
            return false
        }
        if isOutput { dup2(descriptor, output) }
        return true
    }

    /// Trims the log of another process, which must append to it and keeps it open: the log's end moves to
    /// the file's beginning. Lines that are written at this moment may be lost.
    package func trimInPlace() {
        guard let length = excessiveLength, let end = end(of: path, length) else { return }
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(end.utf8)
        if pwrite(descriptor, bytes, bytes.count, 0) == bytes.count {
            ftruncate(descriptor, off_t(bytes.count))
        }
    }

    /// The length of the log if it is too long; otherwise nil. A link's target isn't this agent's file.
    private var excessiveLength: Int? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > longest
        else { return nil }
        return Int(status.st_size)
    }

    /// Returns the text to keep, from the beginning of a line, or nil if the log can't be read.
    private func end(of path: String, _ size: Int) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard lseek(descriptor, off_t(max(0, size - longest / 2)), SEEK_SET) >= 0,
            let bytes = try? FileDescriptor(descriptor, named: path).readAll()
        else { return nil }
        // Lines may have been added meanwhile, so the limit is applied again. The first line is dropped, because
        // it may be cut. Text without a line break is kept.
        let kept = bytes.suffix(longest)
        let begin = kept.firstIndex(of: UInt8(ascii: "\n")).map { kept.index(after: $0) } ?? kept.startIndex
        return String(decoding: kept[begin...], as: UTF8.self)
    }
}
