import CSQLite
import FocusCore

/// The C libraries that the program is linked with.
enum Libraries {
    /// The first library or primitive that doesn't work; nil if all work.
    static var failure: String? {
        let checks = [
            ("SQLite", sqlite), ("SHA-256", sha256), ("HKDF", hkdf), ("AES-SIV", siv), ("ECDH", ecdh),
            ("ECDSA", ecdsa),
        ]
        return checks.first { !$0.1 }?.0
    }

    /// Writes rows with one connection to a file on the disk in memory, and reads them with another.
    private static var sqlite: Bool {
        let disk = VirtualDisk(canLosePower: false)
        guard let writer = Connection("/log.db", disk), let reader = Connection("/log.db", disk) else {
            return false
        }
        return writer.first("PRAGMA journal_mode=WAL") == "wal"
            && writer.run("CREATE TABLE event (seq INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
            && writer.run(
                """
                WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
                INSERT INTO event SELECT n, zeroblob(100) FROM number
                """)
            && reader.first("SELECT count(*) || ' ' || sum(length(body)) FROM event") == "20000 2000000"
            && reader.first("PRAGMA integrity_check") == "ok" && reader.run("VACUUM INTO '/copy.db'")
            && disk.paths == ["/copy.db", "/log.db", "/log.db-wal"]
    }

    /// FIPS 180-4's example.
    private static var sha256: Bool {
        hexadecimal(Primitives.sha256(Array("abc".utf8)))
            == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    }

    /// RFC 5869, A.1.
    private static var hkdf: Bool {
        let derived = Primitives.hkdf(
            [UInt8](repeating: 0x0b, count: 22), salt: Array(0x00...0x0c), info: Array(0xf0...0xf9), count: 42
        )
        return hexadecimal(derived)
            == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    }

    /// RFC 5297, A.1; then the sealed event of docs/protocol.md, "Test vectors".
    private static var siv: Bool {
        let example = SIV(octets("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
        let (plain, associated) = (octets("112233445566778899aabbccddee"), Array<UInt8>(0x10...0x27))
        let sealed = example.seal(plain, associated: [associated])
        let group = GroupID(high: 0xa0a1_a2a3_a4a5_a6a7, low: 0xa8a9_aaab_acad_aeaf)
        let key = SIV(
            Primitives.hkdf(
                Array(0..<32), salt: [], info: Array("lockstep/seal/1".utf8) + group.bytes, count: 64))
        let header = octets(
            "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf630dcd2966c433669f2c6a1b00d4e7aa0000000000000001019aa26c55000000"
        )
        let body = octets(
            "9eeb6f1a77cf785a93a8047326cb2b4013d3fd11582f84c3bc373a868f8e33a38b133ea235a8a9ef979134c79ef786f9"
                + "73825f3ef1786a78f9e75fe6152227815b483f4a6a2ce47164562b963eba776d")
        let padded = octets("010105577269746580") + [UInt8](repeating: 0, count: 55)
        return hexadecimal(sealed) == "85632d07c6e8f37f950acd320a2ecc93" + "40c02b9690c4dc04daef7f6afe5c"
            && example.open(sealed, associated: [associated]) == plain
            && example.open(sealed, associated: [plain]) == nil
            && key.seal(padded, associated: [header]) == body
            && key.open(body, associated: [header]) == padded
    }

    /// RFC 5903, 8.1.
    private static var ecdh: Bool {
        let initiator = CurveKey(octets("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"))
        let responder = CurveKey(octets("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53"))
        let secret = octets("d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de")
        return hexadecimal(initiator.point).hasPrefix(
            "04dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c37725811805271a0461cdb8252")
            && initiator.secret(with: responder.point) == secret
            && responder.secret(with: initiator.point) == secret
            && responder.secret(with: [UInt8](repeating: 4, count: 65)) == nil
    }

    /// RFC 6979, A.2.5, with SHA-256 of "sample".
    private static var ecdsa: Bool {
        var key = CurveKey(octets("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"))
        let hash = Primitives.sha256(Array("sample".utf8))
        let signature = key.signature(of: hash)
        return hexadecimal(signature)
            == "3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
            + "022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
            && CurveKey.isSignature(signature, of: hash, by: key.point)
            && !CurveKey.isSignature(signature, of: Primitives.sha256([]), by: key.point)
    }

    private static func octets(_ text: String) -> [UInt8] { bytes(hexadecimal: text) ?? [] }
}

/// The settings of SQLite, which `VirtualDisk` applies.
enum Database {
    static let isSetUp = lockstep_keep_no_memory_statistics() == SQLITE_OK
}

/// A connection to a database on a disk in memory.
private struct Connection: ~Copyable {
    private let handle: OpaquePointer

    /// Opens the file at `path`, and creates it if it is missing. Fails if SQLite does.
    init?(_ path: String, _ disk: VirtualDisk) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, disk.name) == SQLITE_OK, let handle else { return nil }
        lockstep_distrust(handle)
        self.handle = handle
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements. Returns whether all succeeded.
    borrowing func run(_ sql: String) -> Bool { sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK }

    /// Returns the text in the first column of the first row; nil if there is none.
    borrowing func first(_ sql: String) -> String? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
        return sqlite3_column_text(statement, 0).map { String(cString: $0) }
    }
}

/// Starts no file system: SQLite is compiled without one, and calls this instead.
@_cdecl("sqlite3_os_init")
public func startFileSystems() -> Int32 { SQLITE_OK }

/// Ends no file system.
@_cdecl("sqlite3_os_end")
public func endFileSystems() -> Int32 { SQLITE_OK }
