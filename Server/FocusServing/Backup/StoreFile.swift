import SystemKit

/// What a look at the store has seen.
enum StoreLook: Hashable, Sendable {
    case file(StoreFile)
    /// The database answers, or it doesn't.
    case database(answers: Bool)

    /// The file, where the store is one.
    var file: StoreFile? { if case .file(let file) = self { file } else { nil } }
}

/// How the store's file stands.
struct StoreFile: Hashable, Sendable {
    /// Whether it is still the file that the server opened.
    let isThere: Bool
    /// What it and its write-ahead log take, in bytes.
    let bytes: Int64
    /// What is free on its disk for this user, in bytes.
    let free: Int64
}

/// Looks at the store's file. It may wait for the disk, so it isn't for the network's thread.
struct StoreWatch: Hashable, Sendable {
    private let path: String
    private let device: dev_t
    private let number: ino_t

    /// Will look at the file that is at `path` now.
    init(_ path: String) {
        self.path = path
        let status = StoreWatch.status(of: path)
        device = status?.st_dev ?? 0
        number = status?.st_ino ?? 0
    }

    /// How it stands now.
    func measure() -> StoreFile {
        let status = StoreWatch.status(of: path)
        let log = StoreWatch.status(of: "\(path)-wal")
        var disk = statvfs()
        let isDisk = statvfs(path, &disk) == 0
        // What is kept back for root is free for root.
        let blocks = geteuid() == 0 ? disk.f_bfree : disk.f_bavail
        return StoreFile(
            isThere: status?.st_dev == device && status?.st_ino == number,
            bytes: Int64(status?.st_size ?? 0) + Int64(log?.st_size ?? 0),
            free: isDisk
                ? Int64(
                    clamping: UInt64(blocks).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
                        .partialValue) : 0)
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
