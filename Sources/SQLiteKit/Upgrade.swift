import CSQLite
import SystemKit

/// A database that was brought to a newer version of its schema, and the copy of it as it was.
package struct Upgrade: Hashable, Sendable {
    /// The version that the file had.
    package let from: Int64
    /// The version that it has now.
    package let to: Int64
    /// Where it is kept as it was, readable and writable by its owner alone.
    package let copy: String

    /// An upgrade from one version to a later one, and the path of the copy of the file as it was.
    package init(from: Int64, to: Int64, copy: String) {
        self.from = from
        self.to = to
        self.copy = copy
    }

    /// Where a database at `path` is kept as it was in a version.
    package static func copy(of path: String, version: Int64) -> String { "\(path).version-\(version)" }
}

/// Why a database could not be brought to a newer version: its copy can't be written. Nothing has changed.
package struct UpgradeError: Error, Hashable, Sendable {
    /// The version that the file has.
    package let found: Int64
    /// The version that it would have been brought to.
    package let known: Int64
    /// Where the copy would have been.
    package let copy: String
    /// About how long the copy would have been, in bytes.
    package let bytes: Int64
    /// What went wrong.
    package let cause: SQLiteError
}

extension UpgradeError: CustomStringConvertible {
    package var description: String {
        let size = max(1, bytes >> 20)
        return
            "the database has to be brought from version \(found) to \(known), and the copy that is kept of it "
            + "before, \(copy) (about \(size) MiB), can't be written: \(cause)"
    }
}

extension Database {
    /// Keeps a copy of the file as it is, before a transaction of this connection's changes its schema; nobody else
    /// can write as long as that is open. Durable when this returns. A copy that is there already under its name is
    /// replaced once the new one is whole.
    ///
    /// - Parameter found: the file's version.
    /// - Throws: `UpgradeError`; no part of a copy is left.
    func keepCopy(of found: Int64, upgradedTo known: Int64) throws(UpgradeError) -> Upgrade {
        let path = path
        let copy = Upgrade.copy(of: path, version: found)
        let part = "\(copy).part"
        do {
            // One may be left of an upgrade that was killed.
            disk.removeFile(path: part)
            // In a transaction nothing can be copied, so another connection does it: it sees what was committed.
            try Database(path: path, on: disk, access: .readOnly).copy(to: part)
            try disk.renameFile(part, to: copy)
        } catch {
            disk.removeFile(path: part)
            let cause = error as? SQLiteError ?? SQLiteError(code: .error, message: "\(error)")
            throw UpgradeError(found: found, known: known, copy: copy, bytes: size ?? 0, cause: cause)
        }
        return Upgrade(from: found, to: known, copy: copy)
    }

    /// Removes the copies of versions before the one that was upgraded.
    func removeCopies(before upgrade: Upgrade) {
        for version in 0..<upgrade.from {
            disk.removeFile(path: Upgrade.copy(of: path, version: version))
        }
    }

    /// The file's full path.
    private var path: String {
        sqlite3_db_filename(handle, "main").map { SystemText.string($0) } ?? ""
    }

    /// The file's length without its write-ahead log, in bytes; nil where it can't be found out.
    private var size: Int64? {
        let pages: Int64?? = try? first("PRAGMA page_count") { $0[0] }
        let page: Int64?? = try? first("PRAGMA page_size") { $0[0] }
        guard let pages = pages ?? nil, let page = page ?? nil else { return nil }
        return pages.multipliedReportingOverflow(by: page).partialValue
    }
}

/// A path as SQLite takes one from a statement: text of any bytes.
private struct SystemBytes: SQLiteValue {
    private let bytes: [UInt8]

    init(_ path: String) { bytes = SystemText.bytes(path) }

    init(statement: OpaquePointer, column: Int32) {
        self.init(String(statement: statement, column: column))
    }

    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        bytes.map(CChar.init(bitPattern:)).withUnsafeBufferPointer {
            lockstep_bind_text(statement, index, $0.baseAddress, UInt64($0.count))
        }
    }
}

extension Database {
    /// Writes the database as it stands to a new file, compact and in one piece, readable and writable by its
    /// owner alone; durable when this returns. Others may go on writing meanwhile.
    ///
    /// - Throws: `SQLiteError`, where anything is at `path` already too: a link is not followed.
    package func copy(to path: String) throws {
        guard case .machine = disk else {
            guard !disk.fileExists(path: path) else {
                throw SQLiteError(code: .cannotOpen, message: "\(path) exists already")
            }
            // Of a virtual disk's files everything that SQLite syncs is durable, this one too.
            return try run("VACUUM INTO ?", path)
        }
        // SQLite would write through a link that somebody put there.
        try Database.createFile(path: path, isNew: true)
        try run("VACUUM INTO ?", SystemBytes(path))
        let descriptor = SystemKit.open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw SQLiteError(code: .inputOutput) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SQLiteError(code: .inputOutput) }
    }

    /// The file at `path`, and those that SQLite keeps beside it while it is used.
    package static func files(of path: String) -> [String] {
        [path] + ["-journal", "-wal", "-shm"].map { path + $0 }
    }

    /// What is wrong with the file, in SQLite's words; empty where it is whole. Reads all of it.
    package func integrityProblems() throws -> [String] {
        var problems: [String] = []
        try forEach("PRAGMA integrity_check") { problems.append($0[0]) }
        return problems == ["ok"] ? [] : problems
    }
}
