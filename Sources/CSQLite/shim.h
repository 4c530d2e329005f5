#pragma once
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>

// SQLITE_TRANSIENT is a cast, which Swift doesn't import. These functions bind a copy of the bytes.

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

/// Lets the file's schema call only harmless functions, and protects SQLite's own tables from all statements
/// (<https://sqlite.org/security.html>).
static inline void lockstep_distrust(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

// sqlite3_config is variadic too.

static inline int lockstep_keep_no_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// fcntl(2) is variadic, and SQLite calls it through a table that a program may change (os_unix.c,
// "aSyscall"). SQLite takes ENOLCK to mean that another process has the lock, and waits for it in vain. Any
// other number is an error of its own.

static inline int lockstep_fcntl(int descriptor, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    int result = fcntl(descriptor, command, argument);
    if (result == -1 && errno == ENOLCK) errno = EOPNOTSUPP;
    return result;
}

static inline int lockstep_tell_missing_locks(void) {
    sqlite3_vfs *files = sqlite3_vfs_find("unix");
    if (!files || !files->xSetSystemCall) return SQLITE_OK;
    return files->xSetSystemCall(files, "fcntl", (sqlite3_syscall_ptr)lockstep_fcntl);
}
