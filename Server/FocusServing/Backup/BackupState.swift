import FocusCore

/// How the server's own backups stand.
struct BackupState: Hashable, Sendable {
    /// From one to the next.
    let interval: Duration
    /// When the last one was made; nil where there was none.
    var last: SharedInstant?
    /// How many could not be made since the server began.
    var failures: UInt64 = 0
}
