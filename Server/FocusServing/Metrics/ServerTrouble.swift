import FocusCore
import FocusWriter

/// Why laptops can't have their presses stored by a server that runs.
enum ServerTrouble: Hashable, Sendable {
    case stopping
    /// It isn't sure of its clock.
    case clock(ClockVerdict)
    /// The store's file isn't there any more.
    case storeGone
    case diskFull
    /// The last batch could not be stored.
    case unwritable
    /// A look at the store's file hasn't come back for so long.
    case diskSilent(for: Duration)

    /// What is wrong, and what to do, as the health page and the supervisor are told.
    var sentence: String {
        switch self {
        case .stopping: "The server is stopping."
        case .clock(let verdict): "The clock \(verdict.trouble ?? "is sure"): \(ClockVerdict.remedy)."
        case .storeGone: "The store is gone: restore a backup, or restart the server."
        case .diskFull: "The disk with the store is full: make room on it."
        case .unwritable: "The store can't be written: the log says why."
        case .diskSilent(let silence): "The store's disk hasn't answered for \(silence.inSeconds) s."
        }
    }
}
