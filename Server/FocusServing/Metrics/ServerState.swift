import FocusCore
import FocusServerCore
import FocusServerStore

/// The state of a server at one instant.
struct ServerState: Hashable, Sendable {
    /// The number of connections that are ready for use.
    var connections = 0
    /// The memory that is held for connections, in bytes.
    var bufferedBytes = 0
    var groups = 0
    /// The number of devices, without the revoked ones.
    var devices = 0
    var isStopping = false
    /// Whether the server is sure of its clock, and if not, why.
    var clock = ClockVerdict.sure(.zero)
    /// The clock less the greatest time served; negative if the clock is behind.
    var clockOffset = Duration.zero
    /// The time of the newest event of any group less the clock. Negative if the event is behind, nil if
    /// there is none.
    var logAhead: Duration?
    /// The reason why the last batch was not stored; nil if it was stored.
    var storeProblem: StoreFailure?
    /// The result of the last check of the store.
    var store: StoreHealth
    /// The duration of the last check of the store; nil if the store didn't answer, or wasn't checked yet.
    var storeRoundTrip: Duration?
    /// The state of the automatic backups; nil if the server makes none.
    var backup: BackupState?
    /// The time for which the present check of the store has been waiting for an answer.
    var storeSilence = Duration.zero

    /// The reasons why laptops can't have their presses stored now; empty if they can.
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

    /// The time after which a check that hasn't returned counts as a problem of the disk or the database.
    private static let patience = Duration.seconds(15)
}

/// A reason why a running server can't store the presses of laptops.
enum ServerTrouble: Hashable, Sendable {
    case stopping
    /// The server isn't sure of its clock.
    case clock(ClockVerdict)
    /// The store's file no longer exists.
    case storeGone
    /// The database with the store doesn't answer.
    case databaseAway
    case diskFull
    /// The last batch was not stored.
    case unwritable
    /// A check of the store's file has been waiting for this duration.
    case diskSilent(for: Duration)
    /// The database hasn't answered for this duration.
    case databaseSilent(for: Duration)

    /// Whether the store is known to accept nothing. The sentence of such a trouble doesn't change while the
    /// trouble lasts.
    var isAboutStore: Bool {
        switch self {
        case .storeGone, .databaseAway, .diskFull, .unwritable: true
        case .stopping, .clock, .diskSilent, .databaseSilent: false
        }
    }
}
