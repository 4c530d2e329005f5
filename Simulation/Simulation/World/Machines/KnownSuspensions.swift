import FocusCore
import TestSupport

/// The sleeps of a laptop's machine: what the world knows of them, and what the laptop should know.
struct KnownSuspensions {
    /// The sleeps that the laptop keeps until it knows whether other devices were connected meanwhile.
    var kept: [NaiveSleep] = []
    /// The sleeps that the agent may not have noticed yet. `isWorthIt` says whether the laptop had to keep
    /// the sleep when it woke; nil if that depends on the instant.
    var unlooked: [(sleep: NaiveSleep, isWorthIt: Bool?)] = []
    /// When the machine fell asleep, in microseconds since its start, if an agent runs that can notice it.
    var fellAsleep: Int64?
    /// The reason why it isn't known what the laptop knows; nil if it is known.
    var muddle: String?
    /// When the laptop was last connected, by the world's clock.
    var connectedAt: Int64 = -1

    /// Whether no sleep waits for a decision.
    var isEmpty: Bool { kept.isEmpty && unlooked.isEmpty && muddle == nil }

    /// Marks it as unknown what the laptop knows of its sleeps.
    mutating func lose(_ why: String) {
        kept = []
        unlooked = []
        muddle = why
    }

    /// Forgets the kept sleeps, because they are decided.
    mutating func settle() {
        kept = []
        muddle = nil
    }
}
