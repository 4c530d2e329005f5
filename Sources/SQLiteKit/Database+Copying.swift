import CSQLite
import SystemKit

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
        try run("VACUUM INTO ?", path)
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
