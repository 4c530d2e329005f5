import CSQLite

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
        sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
    }

    /// The file's length without its write-ahead log, in bytes; nil where it can't be found out.
    private var size: Int64? {
        let pages: Int64?? = try? first("PRAGMA page_count") { $0[0] }
        let page: Int64?? = try? first("PRAGMA page_size") { $0[0] }
        guard let pages = pages ?? nil, let page = page ?? nil else { return nil }
        return pages.multipliedReportingOverflow(by: page).partialValue
    }
}
