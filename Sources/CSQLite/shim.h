#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift does not import: these bind a copy of the bytes.

static inline int lockstep_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int lockstep_bind_text(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// sqlite3_db_config is variadic.

static inline int lockstep_keep_wal_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Has what stands in the file's schema call none but harmless functions, and keeps all statements from SQLite's own tables
/// (<https://sqlite.org/security.html>).
static inline void lockstep_distrust(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

// sqlite3_config is variadic too.

static inline int lockstep_keep_no_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
