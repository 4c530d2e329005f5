import FocusWriter

/// How a server stands, at one moment.
struct ServerState: Hashable, Sendable {
    /// Connections that can be used.
    var connections = 0
    /// What is held in memory for them, in bytes.
    var bufferedBytes = 0
    var groups = 0
    /// Devices, the revoked not counted.
    var devices = 0
    var isStopping = false
    /// Whether the server is sure of its clock, and if not, why.
    var clock = ClockVerdict.sure(0)
    /// How far the clock is ahead of the greatest time served, in milliseconds; negative where it is behind.
    var clockOffset: Int64 = 0
    /// How far the newest event of any group is ahead of the clock, in milliseconds; negative where it is behind, and
    /// nil where there is none.
    var logAhead: Int64?
    /// Why the last batch could not be stored; nil where it was.
    var storeProblem: BatchTally.Problem?
    /// How the store's file stood when it was looked at last.
    var store: StoreFile
    /// How the server's own backups stand; nil where it makes none.
    var backup: BackupState?
    /// For how long a look at the file hasn't come back, in microseconds.
    var storeSilence: Int64 = 0

    /// Why laptops can't have their presses stored now, a sentence each; empty where they can.
    var troubles: [String] {
        var troubles: [String] = []
        if isStopping { troubles.append("The server is stopping.") }
        if let trouble = clock.trouble { troubles.append("The clock \(trouble): \(ClockVerdict.remedy).") }
        if !store.isThere {
            troubles.append("The store is gone: restore a backup, or restart the server.")
        } else if storeProblem == .full || store.free == 0 {
            troubles.append("The disk with the store is full: make room on it.")
        } else if storeProblem != nil {
            troubles.append("The store can't be written: the log says why.")
        }
        if storeSilence > ServerState.patience {
            troubles.append("The store's disk hasn't answered for \(storeSilence / 1_000_000) s.")
        }
        return troubles
    }

    /// How long the disk may take for a look at the file, in microseconds.
    private static let patience: Int64 = 15_000_000
}
