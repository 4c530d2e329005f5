import CSQLite

extension Database {
    /// So many bytes of the write-ahead log are filled before SQLite begins it anew: 1,000 pages, each behind its header
    /// (<https://sqlite.org/pragma.html#pragma_wal_autocheckpoint>).
    package static let logRoom = 32 + 1_000 * (24 + 4_096)

    /// Makes the write-ahead log this long at least, in bytes, with zeros behind what stands there.
    ///
    /// A commit that makes the file longer is durable once its bytes are, and then the file system's note of the new length and
    /// blocks: two waits for the disk, one after the other. Where there is room already it is one. To SQLite, what follows the
    /// last commit is what is left of earlier ones, whatever it is: it is told from commits by its checksums
    /// (<https://sqlite.org/fileformat2.html#the_write_ahead_log>). The room goes as the last connection closes.
    ///
    /// Where there is no room on the disk, the file stays as long as it was.
    ///
    /// - Throws: `SQLiteError`: `busy` where others wrote for longer than the busy timeout.
    package func makeRoomInLog(_ length: Int = Database.logRoom) throws {
        // Nobody else writes there meanwhile; and the file is open.
        let log = try transaction(.immediate) { () -> LogFile? in
            guard let log = LogFile(of: self) else { return nil }
            return log.fill(to: Int64(length)) ? log : nil
        }
        // Others may write again while that reaches the disk.
        log?.sync()
    }
}

/// The write-ahead log's file, as SQLite has it open for a connection.
private struct LogFile {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods

    /// So many bytes are written at once.
    private static let chunk = 64 << 10

    /// Nil where the connection has none open.
    init?(of database: borrowing Database) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let status = sqlite3_file_control(
            database.handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
        guard status == SQLITE_OK, let file, let methods = file.pointee.pMethods?.pointee else { return nil }
        (self.file, self.methods) = (file, methods)
    }

    /// Makes it this long; to be done by who alone may write.
    ///
    /// - Returns: whether it has become longer. Where the disk is full, it stays as it was.
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
