import QRKit
import SQLiteKit

/// The C libraries that the program is linked with.
enum Libraries {
    /// SQLite, libqrencode, the store, the link and the page if they don't work, the checks of TLS that fail, and each
    /// vector that has another result than with OpenSSL.
    static var failures: [String] {
        (sqlite ? [] : ["SQLite"]) + (codes ? [] : ["libqrencode"]) + (StoredLog.works ? [] : ["the store"])
            + (DeviceInMemory.greetsServer() ? [] : ["the link"])
            + (PageInMemory.answers() ? [] : ["the page"]) + TLSInMemory.failures
            + SealVector.all.filter { $0.run() != $0.expected }.map { $0.name }
    }

    /// Writes rows with one connection to a file on the disk in memory, and reads them with another. Loads the
    /// disk again from its blocks.
    private static var sqlite: Bool {
        do throws(DatabaseFailure) {
            let disk = VirtualDisk(stored: DiskImage())
            let writer = try connection(disk)
            let reader = try connection(disk)
            try writer.useWriteAheadLog()
            try writer.execute("CREATE TABLE event (seq INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
            try writer.run(
                """
                WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
                INSERT INTO event SELECT n, zeroblob(?) FROM number
                """, 20_000, 100)
            let found: String? = try reader.first(
                "SELECT count(*) || ' ' || sum(length(body)) FROM event", read: { $0[0] })
            try reader.copy(to: "/copy.db")
            return try reader.integrityProblems().isEmpty && found == "20000 2000000"
                && disk.paths == ["/copy.db", "/log.db", "/log.db-wal"]
                && isLoadedFromBlocks(disk)
        } catch { return false }
    }

    /// Makes a code with two of its corner squares, and refuses an empty text. QRKitTests has the rest.
    private static var codes: Bool {
        guard let code = try? QRCode("https://focus.example/#LOCKSTEP1-A"), (try? QRCode("")) == nil else {
            return false
        }
        let square = [Bool](repeating: true, count: 7)
        return code.rows.count >= 21 && code.rows.allSatisfy { $0.count == code.rows.count }
            && Array(code.rows[0].prefix(7)) == square && Array(code.rows[0].suffix(7)) == square
    }

    private static func isLoadedFromBlocks(_ disk: VirtualDisk) -> Bool {
        guard let changes = disk.collectChanges(), disk.collectChanges() == nil else { return false }
        var image = DiskImage()
        return changes.written.allSatisfy {
            image.insert($0.path, count: $0.count, blocks: $0.blocks.map { block in block.bytes })
        } && VirtualDisk(stored: image).image() == disk.image()
    }

    private static func connection(
        _ disk: VirtualDisk
    ) throws(DatabaseFailure) -> DatabaseConnection<DatabaseFailure> {
        do throws(SQLiteError) {
            return try .init(path: "/log.db", on: .virtual(disk), access: .readWriteCreate) { $0 }
        } catch { throw .sqlite(error) }
    }
}
