import CSQLite

/// The disk that has a connection's files.
package struct Disk {
    let files: any DiskFiles

    init(_ files: any DiskFiles) { self.files = files }

    /// A disk in memory, for simulations and tests.
    package static func virtual(_ disk: VirtualDisk) -> Disk { Disk(disk) }

    /// Whether anything exists at `path`. Also true if that can't be known because a folder on the way isn't
    /// searchable.
    package func fileExists(path: String) -> Bool { files.fileExists(path: path) }

    /// Creates a folder that only this user can access; returns false if something has its name. A virtual
    /// disk has no folders: a folder exists if a file is in it.
    ///
    /// - Throws: `SQLiteError` with the reason as its message.
    package func makeFolder(path: String) throws(SQLiteError) -> Bool { try files.makeFolder(path: path) }

    /// Removes a folder if it is empty.
    package func removeFolder(path: String) { files.removeFolder(path: path) }

    /// Makes a file read-only: only its owner can read it, and nobody can write it.
    package func makeReadOnly(path: String) { files.makeReadOnly(path: path) }
}

/// The calls to a disk that SQLite does not make itself.
protocol DiskFiles: AnyObject {
    /// Whether a transaction needs a journal among the files. If not, only whole transactions survive a failure.
    var needsJournal: Bool { get }

    /// Opens a connection with these flags, and returns SQLite's result code.
    ///
    /// - Parameter mayCreate: Whether a missing file is created, with mode 0600.
    func open(
        _ path: String, flags: Int32, mayCreate: Bool, connection: inout OpaquePointer?
    ) throws(SQLiteError) -> Int32

    func fileExists(path: String) -> Bool
    func makeFolder(path: String) throws(SQLiteError) -> Bool
    func removeFolder(path: String)
    func makeReadOnly(path: String)

    /// Removes a file if it exists.
    func removeFile(path: String)

    /// Renames a file, and replaces a file of the new name. The change is durable when this returns.
    ///
    /// - Throws: `SQLiteError` with the reason as its message.
    func renameFile(_ path: String, to name: String) throws(SQLiteError)

    /// Prepares a path at which nothing exists for SQLite to write a copy there.
    ///
    /// - Throws: `SQLiteError`: `cannotOpen` if anything exists there, also a link.
    func prepareCopy(path: String) throws(SQLiteError)

    /// Makes a copy durable that SQLite has written.
    func syncCopy(path: String) throws(SQLiteError)

    /// Returns the path that SQLite knows by these bytes, up to a zero.
    func path(_ bytes: UnsafePointer<CChar>) -> String

    /// Returns the bytes by which SQLite knows a path.
    func bytes(of path: String) -> [UInt8]
}

extension VirtualDisk: DiskFiles {
    func open(
        _ path: String, flags: Int32, mayCreate: Bool, connection: inout OpaquePointer?
    ) -> Int32 {
        sqlite3_open_v2(path, &connection, flags | (mayCreate ? SQLITE_OPEN_CREATE : 0), name)
    }

    func makeFolder(path: String) -> Bool { !hasFiles(in: path) }

    func removeFolder(path: String) {}

    func makeReadOnly(path: String) {}

    func removeFile(path: String) {
        if fileExists(path: path), countChange() { _ = delete(path) }
    }

    func renameFile(_ path: String, to name: String) throws(SQLiteError) {
        guard rename(path, to: name) else { throw SQLiteError(code: .inputOutput) }
    }

    func prepareCopy(path: String) throws(SQLiteError) {
        guard !fileExists(path: path) else {
            throw SQLiteError(code: .cannotOpen, message: "\(path) exists already")
        }
    }

    /// Does nothing: SQLite syncs the copy itself, and on a virtual disk a synced file is durable.
    func syncCopy(path: String) {}

    func path(_ bytes: UnsafePointer<CChar>) -> String { String(cString: bytes) }

    func bytes(of path: String) -> [UInt8] { Array(path.utf8) }
}
