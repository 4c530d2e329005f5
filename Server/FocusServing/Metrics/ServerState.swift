import FocusCore
import FocusServerStore
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
    var clock = ClockVerdict.sure(.zero)
    /// How far the clock is ahead of the greatest time served, negative where it is behind.
    var clockOffset = Duration.zero
    /// How far the newest event of any group is ahead of the clock; negative where it is behind, and
    /// nil where there is none.
    var logAhead: Duration?
    /// Why the last batch could not be stored; nil where it was.
    var storeProblem: StoreTrouble?
    /// What was seen of the store when it was looked at last.
    var store: StoreLook
    /// How long the store took for the last look at it; nil where it didn't answer, or wasn't looked at yet.
    var storeRoundTrip: Duration?
    /// How the server's own backups stand; nil where it makes none.
    var backup: BackupState?
    /// For how long a look at the store hasn't come back.
    var storeSilence = Duration.zero

    /// Why laptops can't have their presses stored now; none where they can.
    var troubles: [ServerTrouble] {
        var troubles: [ServerTrouble] = []
        if isStopping { troubles.append(.stopping) }
        if clock.shared == nil { troubles.append(.clock(clock)) }
        switch store {
        case .file(let file) where !file.isThere: troubles.append(.storeGone)
        case .database(answers: false): troubles.append(.databaseAway)
        default:
            if storeProblem == .full || store.file?.free == 0 {
                troubles.append(.diskFull)
            } else if storeProblem != nil {
                troubles.append(.unwritable)
            }
        }
        if storeSilence > ServerState.patience {
            troubles.append(
                store.file == nil ? .databaseSilent(for: storeSilence) : .diskSilent(for: storeSilence))
        }
        return troubles
    }

    /// How long a disk or a database may take for a look.
    private static let patience = Duration.seconds(15)
}

/// Why laptops can't have their presses stored by a server that runs.
enum ServerTrouble: Hashable, Sendable {
    case stopping
    /// It isn't sure of its clock.
    case clock(ClockVerdict)
    /// The store's file isn't there any more.
    case storeGone
    /// The database with the store can't be asked.
    case databaseAway
    case diskFull
    /// The last batch could not be stored.
    case unwritable
    /// A look at the store's file hasn't come back for so long.
    case diskSilent(for: Duration)
    /// The database hasn't answered for so long.
    case databaseSilent(for: Duration)

    /// Whether the store is known to take nothing, in words that stay the same until it does.
    var isAboutStore: Bool {
        switch self {
        case .storeGone, .databaseAway, .diskFull, .unwritable: true
        case .stopping, .clock, .diskSilent, .databaseSilent: false
        }
    }
}
