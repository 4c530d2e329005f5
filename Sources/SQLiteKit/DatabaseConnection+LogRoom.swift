import CSQLite

extension DatabaseConnection {
    /// The length in bytes at which SQLite starts to write over the write-ahead log: 1,000 pages, each behind
    /// its header (<https://sqlite.org/pragma.html#pragma_wal_autocheckpoint>).
    package static var preallocatedLogSize: Int { 32 + 1_000 * (24 + 4_096) }

    /// Extends the write-ahead log with zeros to `length` bytes, because a commit that lengthens the log
    /// waits for the disk twice. SQLite ignores the zeros
    /// (<https://sqlite.org/fileformat2.html#the_write_ahead_log>). The extra length is lost when the last
    /// connection closes. On a full disk the log keeps its length.
    ///
    /// - Throws: `Failure`: `busy` if other connections write for longer than the busy timeout.
    package func preallocateLog(_ length: Int = DatabaseConnection.preallocatedLogSize) throws(Failure) {
        // The transaction keeps other writers out of the log, and makes SQLite open its file.
        let log = try transaction(.immediate) { () throws(Failure) -> LogFile? in
            guard let log = LogFile(of: handle) else { return nil }
            return log.fill(to: Int64(length)) ? log : nil
        }
        // Other connections may write again while the disk is synced.
        log?.sync()
    }
}

/// The file of the write-ahead log, as SQLite has it open for a connection.
private struct LogFile {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods

    /// The number of bytes that are written at once.
    private static let chunk = 64 << 10

    /// Fails if the connection has no write-ahead log open.
    init?(of connection: OpaquePointer) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
        guard status == SQLITE_OK, let file, let methods = file.pointee.pMethods?.pointee else { return nil }
        (self.file, self.methods) = (file, methods)
    }

    /// Makes the file at least `length` bytes long. The caller must hold the lock for writing.
    ///
    /// - Returns: Whether the file is longer now. It stays as it was if the disk is full.
    func fill(to length: Int64) -> Bool {
        var size: Int64 = 0
        guard methods.xFileSize?(file, &size) == SQLITE_OK, size < length else { return false }
        let zeros = [UInt8](repeating: 0, count: LogFile.chunk)
        var end = size
        while end < length {
            let count = min(Int64(zeros.count), length - end)
            guard methods.xWrite?(file, zeros, Int32(count), end) == SQLITE_OK else {
                _ = methods.xTruncate?(file, size)
                return false
            }
            end += count
        }
        return true
    }

    func sync() { _ = methods.xSync?(file, SQLITE_SYNC_NORMAL) }
}
