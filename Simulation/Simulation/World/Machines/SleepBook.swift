import FocusCore
import TestSupport

/// What a laptop should know of the times that its machine slept, as the world knows them.
struct SleepBook {
    /// Those that the laptop keeps until it is known who was there meanwhile.
    var kept: [NaiveSleep] = []
    /// Those at which its agent may not have looked yet, each with whether it would have been worth keeping on waking; nil
    /// where that depends on the instant.
    var unlooked: [(sleep: NaiveSleep, isWorthIt: Bool?)] = []
    /// When the machine fell asleep, in microseconds since it started, where an agent runs that can tell.
    var fellAsleep: Int64?
    /// Why it can't be told what the laptop knows; nil where it can.
    var muddle: String?
    /// When it was connected last, by the world's clock.
    var connectedAt: Int64 = -1

    /// Whether there is nothing that would have to be decided.
    var isEmpty: Bool { kept.isEmpty && unlooked.isEmpty && muddle == nil }

    /// What the laptop knows is no longer known.
    mutating func lose(_ why: String) {
        kept = []
        unlooked = []
        muddle = why
    }

    /// All is decided about what is kept.
    mutating func settle() {
        kept = []
        muddle = nil
    }
}
