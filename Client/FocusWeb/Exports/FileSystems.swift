import CSQLite

/// Starts no file system: SQLite is compiled without one, and calls this instead.
@_cdecl("sqlite3_os_init")
public func startFileSystems() -> Int32 { SQLITE_OK }

/// Ends no file system.
@_cdecl("sqlite3_os_end")
public func endFileSystems() -> Int32 { SQLITE_OK }
