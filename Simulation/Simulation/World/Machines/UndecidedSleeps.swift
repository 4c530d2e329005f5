import FocusCore
import TestSupport

/// The world's view of the sleeps that a laptop should know of, and about which it hasn't decided yet.
struct UndecidedSleeps {
    /// The sleeps that the laptop keeps until it knows whether other devices were connected meanwhile.
    var kept: [NaiveSleep] = []
    /// The sleeps that the agent may not have noticed yet. `mustBeKept` says whether the laptop has to keep
    /// the sleep, by its log when it woke. Nil if that isn't known.
    var unnoticed: [(sleep: NaiveSleep, mustBeKept: Bool?)] = []
    /// When the machine fell asleep, in microseconds since its start, if an agent runs that can notice it.
    var fellAsleep: Int64?
    /// The reason why the world doesn't know which sleeps the laptop knows; nil if it does know.
    var unknownReason: String?
    /// When the laptop was last connected, by the world's clock.
    var connectedAt: Int64 = -1

    /// Whether certainly no sleep waits for a decision.
    var isEmpty: Bool { kept.isEmpty && unnoticed.isEmpty && unknownReason == nil }

    /// Records that the world no longer knows which sleeps the laptop knows, for this reason.
    mutating func markUnknown(_ why: String) {
        kept = []
        unnoticed = []
        unknownReason = why
    }

    /// Forgets the kept sleeps, because they are decided. From now on the world knows the laptop's sleeps again.
    mutating func clear() {
        kept = []
        unknownReason = nil
    }
}
