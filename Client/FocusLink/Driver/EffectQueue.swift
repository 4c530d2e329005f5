import FocusCore
import FocusSync

/// The effects that a session asked for, in order.
struct EffectQueue {
    private var effects = Fifo<ClientEffect>()
    /// Whether effects are being executed. Effects that are appended meanwhile are executed too.
    private var isPerforming = false

    /// Whether there is nothing to execute.
    var isEmpty: Bool { effects.isEmpty }

    /// Whether the next effect is to store an epoch's record.
    var isEpochNext: Bool { if case .epoch? = effects.first { true } else { false } }

    /// Whether the next effect is the end of catching up.
    var isCatchUpNext: Bool { if case .caughtUp? = effects.first { true } else { false } }

    mutating func append(_ effects: [ClientEffect]) { for effect in effects { self.effects.append(effect) } }
    mutating func popFirst() -> ClientEffect? { effects.popFirst() }
    mutating func removeAll() { effects = Fifo() }

    /// Removes and returns the devices of all revocations at the front.
    mutating func popRevoked() -> [Digest] {
        var devices: [Digest] = []
        while case .revoked(let next)? = effects.first {
            devices.append(next)
            _ = effects.popFirst()
        }
        return devices
    }

    /// Begins the execution of effects. Returns false if they are being executed already.
    mutating func startPerforming() -> Bool {
        defer { isPerforming = true }
        return !isPerforming
    }
    mutating func endPerforming() { isPerforming = false }
}
