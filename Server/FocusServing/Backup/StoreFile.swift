import SystemKit

/// The result of a check of the store.
enum StoreHealth: Hashable, Sendable {
    case file(StoreFile)
    /// Whether the database answers.
    case database(answers: Bool)

    /// The file, if the store is one.
    var file: StoreFile? { if case .file(let file) = self { file } else { nil } }
}

/// The state of the store's file.
struct StoreFile: Hashable, Sendable {
    /// Whether the file at the path still is the file that the server opened.
    let isThere: Bool
    /// The size of the file and its write-ahead log, in bytes.
    let bytes: Int64
    /// The free space on the file's disk for this user, in bytes; 0 if that is unknown.
    let free: Int64
}

/// Checks the store's file. A check may wait for the disk, so it must not run on the network's thread.
struct StoreFileCheck: Hashable, Sendable {
    private let path: String
    /// The file's device and inode number when the server opened it.
    private let device: dev_t
    private let number: ino_t

    /// Creates a check of the file that is at `path` now.
    init(_ path: String) {
        self.path = path
        let status = StoreFileCheck.status(of: path)
        device = status?.st_dev ?? 0
        number = status?.st_ino ?? 0
    }

    /// Returns the file's present state.
    func measure() -> StoreFile {
        let status = StoreFileCheck.status(of: path)
        let log = StoreFileCheck.status(of: "\(path)-wal")
        var disk = statvfs()
        let isDisk = statvfs(path, &disk) == 0
        // Root may also use the space that is reserved for root.
        let blocks = geteuid() == 0 ? disk.f_bfree : disk.f_bavail
        let (free, overflows) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
        return StoreFile(
            isThere: status?.st_dev == device && status?.st_ino == number,
            bytes: Int64(status?.st_size ?? 0) + Int64(log?.st_size ?? 0),
            free: isDisk ? Int64(clamping: overflows ? .max : free) : 0)
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
