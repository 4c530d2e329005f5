import CSQLite

/// A migration of a database to a newer version, and the copy that was kept of the old one.
package struct SchemaUpgrade: Hashable, Sendable {
    /// The version before.
    package let from: Int64
    /// The version after.
    package let to: Int64
    /// The path of the copy of the old file, which only its owner can read and write.
    package let copy: String

    /// An upgrade between two versions, and the path of the copy of the old file.
    package init(from: Int64, to: Int64, copy: String) {
        self.from = from
        self.to = to
        self.copy = copy
    }

    /// Returns the path for a copy of the database at `path`, made when the database had this version.
    package static func copy(of path: String, version: Int64) -> String { "\(path).version-\(version)" }
}

/// The reason why a database was not migrated: its copy can't be written. Nothing has changed.
package struct UpgradeError: Error, Hashable, Sendable {
    /// The version of the file.
    package let found: Int64
    /// The version to which the file was to be migrated.
    package let known: Int64
    /// The path for the copy.
    package let copy: String
    /// The estimated length of the copy, in bytes.
    package let bytes: Int64
    /// The error that occurred.
    package let cause: SQLiteError
}

extension UpgradeError: CustomStringConvertible {
    package var description: String {
        let size = max(1, bytes >> 20)
        return
            "the database must be upgraded from version \(found) to \(known), but the copy that is made before, "
            + "\(copy) (about \(size) MiB), can't be written: \(cause)"
    }
}

extension DatabaseConnection {
    /// Copies the file before the open transaction of this connection changes its schema. The transaction
    /// keeps other writers out. The copy is durable when this returns, and replaces an older one of the same
    /// name once it is whole.
    ///
    /// - Parameter found: The file's version.
    /// - Throws: `UpgradeError` if the copy fails; no part of it remains.
    func keepCopy(of found: Int64, upgradedTo known: Int64) throws(UpgradeError) -> SchemaUpgrade {
        let path = path
        let copy = SchemaUpgrade.copy(of: path, version: found)
        let part = "\(copy).part"
        do throws(SQLiteError) {
            // A killed upgrade may have left this file.
            disk.files.removeFile(path: part)
            // A connection in a transaction can't copy, so another one does. It reads the committed state.
            try reader(path).copy(to: part)
            try disk.files.renameFile(part, to: copy)
        } catch {
            disk.files.removeFile(path: part)
            throw UpgradeError(found: found, known: known, copy: copy, bytes: size ?? 0, cause: error)
        }
        return SchemaUpgrade(from: found, to: known, copy: copy)
    }

    private func reader(_ path: String) throws(SQLiteError) -> DatabaseConnection<SQLiteError> {
        try .init(path: path, on: disk, access: .readOnly) { failure in
            if case .sqlite(let error) = failure { error } else { SQLiteError(code: .error) }
        }
    }

    /// Removes the copies of versions before `upgrade.from`.
    func removeCopies(before upgrade: SchemaUpgrade) {
        for version in 0..<upgrade.from {
            disk.files.removeFile(path: SchemaUpgrade.copy(of: path, version: version))
        }
    }

    /// The file's full path.
    private var path: String {
        sqlite3_db_filename(handle, "main").map { disk.files.path($0) } ?? ""
    }

    /// The file's length without its write-ahead log, in bytes; nil if SQLite can't tell it.
    private var size: Int64? {
        let pages: Int64?? = try? first("PRAGMA page_count") { $0[0] }
        let page: Int64?? = try? first("PRAGMA page_size") { $0[0] }
        guard let pages = pages ?? nil, let page = page ?? nil else { return nil }
        return pages.multipliedReportingOverflow(by: page).partialValue
    }
}

/// A path as a parameter of a statement: text of any bytes.
private struct PathBytes: SQLiteValue {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(statement: OpaquePointer, column: Int32) { bytes = [UInt8](statement: statement, column: column) }

    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        bytes.withUnsafeBytes {
            lockstep_bind_text(
                statement, index, $0.bindMemory(to: CChar.self).baseAddress, UInt64($0.count))
        }
    }
}

extension DatabaseConnection {
    /// Writes a compact copy of the database to a new file, which only its owner can read and write. The copy
    /// is durable when this returns. Other connections can write meanwhile.
    ///
    /// - Throws: `Failure`, also if anything exists at `path`. A link is not followed.
    package func copy(to path: String) throws(Failure) {
        do throws(SQLiteError) { try disk.files.prepareCopy(path: path) } catch { throw failure(error) }
        try run("VACUUM INTO ?", PathBytes(disk.files.bytes(of: path)))
        do throws(SQLiteError) { try disk.files.syncCopy(path: path) } catch { throw failure(error) }
    }

    /// Returns the paths of the database file and of the files that SQLite keeps beside it.
    package static func files(of path: String) -> [String] {
        [path] + ["-journal", "-wal", "-shm"].map { path + $0 }
    }

    /// Returns SQLite's descriptions of what is wrong with the file; none if it is whole. Reads the whole
    /// file.
    package func integrityProblems() throws(Failure) -> [String] {
        var problems: [String] = []
        try forEach("PRAGMA integrity_check") { problems.append($0[0]) }
        return problems == ["ok"] ? [] : problems
    }
}
