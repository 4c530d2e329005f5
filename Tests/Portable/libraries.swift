import CBearSSL
import CSQLite

/// The C libraries that the program is linked with.
enum Libraries {
    /// Whether both work: SQLite starts, and BearSSL computes the hash of FIPS 180-4's first example.
    static var work: Bool {
        guard sqlite3_initialize() == SQLITE_OK, sqlite3_libversion_number() == SQLITE_VERSION_NUMBER else {
            return false
        }
        let message = Array("abc".utf8)
        var context = br_sha256_context()
        br_sha256_init(&context)
        br_sha224_update(&context, message, message.count)
        var hash = [UInt8](repeating: 0, count: 32)
        br_sha256_out(&context, &hash)
        return hash.prefix(4) == [0xba, 0x78, 0x16, 0xbf]
    }
}

/// Starts no file system: SQLite is compiled without one, and calls this instead.
@_cdecl("sqlite3_os_init")
public func startFileSystems() -> Int32 { SQLITE_OK }

/// Ends no file system.
@_cdecl("sqlite3_os_end")
public func endFileSystems() -> Int32 { SQLITE_OK }
