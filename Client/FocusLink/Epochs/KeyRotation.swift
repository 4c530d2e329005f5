import FocusCore
import FocusDevice
import FocusSeal
import FocusSync

/// When the group's key is changed, on one connection (docs/protocol.md, "Epochs and revocations"): whether the newest
/// epoch has to be looked at, how long this device leaves it to others to make the next one, and what the server owes an
/// answer about.
///
/// It does nothing itself: the driver says what has happened, and does what comes of it.
package struct KeyRotation {
    /// When a device makes the next epoch that is due.
    package enum Pace: Hashable, Sendable {
        /// At once, and without waiting whether others go on from an epoch that was made for them alone: somebody has
        /// just decided who is in.
        case decided
        /// At once: somebody waits for it.
        case atOnce
        /// After a few seconds, so that not all devices do it.
        case afterAWhile
    }

    /// An epoch, and the one that it follows.
    private struct Step: Hashable {
        let predecessor: EpochID
        let epoch: EpochID
    }

    private enum Phase: Hashable {
        /// The newest epoch stands, or it isn't known that it may not.
        case resting
        /// The next epoch is made at this instant, where that is due then.
        case waiting(until: SteadyInstant)
        /// The server was asked to keep this one, and hasn't answered.
        case asked(Step)
    }

    private let pace: Pace
    private let own: Digest
    /// What the device makes of the epochs; nil before it has looked at them.
    private(set) var ring: KeyRing?
    private var phase = Phase.resting
    /// Whether something has changed that the newest epoch may not stand after.
    private var isDue = true
    /// After which epoch the server was asked for one last, and when.
    private var lastAsked: (predecessor: EpochID, at: SteadyInstant)?
    /// The records that can't be used, as was last said.
    private var bad: Set<EpochID> = []
    /// The records that counted as this connection began, so that the server was told that they are here; nil before.
    private var held: Set<EpochID>?
    /// What the log said of the devices when that was last looked at.
    private var devices: [ReplicaID: ReplayState.Device] = [:]
    private var rulings: [Digest: Ruling] = [:]

    /// The server isn't asked again for a successor of the same epoch within this time.
    static let patience = Duration.seconds(60)

    /// - Parameter own: this device's key.
    init(_ pace: Pace, by own: Digest) {
        self.pace = pace
        self.own = own
    }

    /// Whether it is open whether the newest epoch stands.
    var isOpen: Bool { isDue || isAsked }

    /// When the next epoch is to be made; nil where none is.
    var deadline: SteadyInstant? { if case .waiting(let until) = phase { until } else { nil } }

    private var isAsked: Bool { if case .asked = phase { true } else { false } }

    /// Whether the newest epoch's record keeps all of these out.
    func keepsOut(_ devices: Set<Digest>) -> Bool {
        guard let ring, let newest = ring.newest else { return false }
        return Set(ring.body(of: newest)?.revoked ?? []).isSuperset(of: devices)
    }

    // MARK: - What has happened

    /// Something has changed that the newest epoch may not stand after.
    mutating func changed() { isDue = true }

    /// The log comes to this state now.
    mutating func replayed(_ state: ReplayState) {
        guard state.devices != devices || state.rulings != rulings else { return }
        devices = state.devices
        rulings = state.rulings
        isDue = true
    }

    /// The device has looked at the epochs.
    ///
    /// - Returns: how many records can't be used, where there are others than was last said.
    mutating func adopted(_ ring: KeyRing) -> Int? {
        self.ring = ring
        isDue = true
        held = held ?? ring.usable
        guard !ring.bad.isSubset(of: bad) else { return nil }
        bad = ring.bad
        return bad.count
    }

    /// Whether a record that the server was told is here turned out to be bad. It sends that one again on another connection
    /// only, which an errand doesn't wait for.
    var needsAnotherConnection: Bool {
        guard let ring, let held, pace == .afterAWhile else { return false }
        return !held.isDisjoint(with: ring.bad)
    }

    /// An epoch's record came.
    ///
    /// - Returns: whether it is the one that the server was asked to keep.
    mutating func received(_ record: EpochRecord) -> Bool {
        guard case .asked(let step) = phase,
            step.epoch == record.epoch || step.predecessor == record.predecessor
        else { return false }
        phase = .resting
        return step.epoch == record.epoch
    }

    /// The server refused something.
    ///
    /// - Returns: whether that was the epoch that it was asked to keep.
    mutating func refused(_ subject: Digest) -> Bool {
        guard case .asked(let step) = phase, subject == Digest(naming: step.epoch) else { return false }
        phase = .resting
        isDue = true
        return true
    }

    /// The server has been given what it lacked, and may be asked again at once.
    mutating func mayAskAgain() { lastAsked = nil }

    // MARK: - What to do

    /// Whether the newest epoch is to be looked at now; then it counts as looked at.
    mutating func startReview() -> Bool {
        guard isDue, !isAsked else { return false }
        isDue = false
        phase = .resting
        return true
    }

    /// Whether the time has come that was waited for; then it isn't waited for any more.
    mutating func endWait(at now: SteadyInstant) -> Bool {
        guard let deadline, deadline <= now else { return false }
        phase = .resting
        return true
    }

    /// An epoch is to follow the newest one: whether this device makes it now, or waits first.
    ///
    /// - Parameter passing: how much longer it waits for others to go on from an epoch that was made for them alone;
    ///   nil where there is none.
    mutating func makesNext(after newest: EpochID, passing: Duration?, at now: SteadyInstant) -> Bool {
        let wait = delay(after: newest, passing: passing, at: now)
        guard wait > .zero else { return true }
        phase = .waiting(until: now + wait)
        return false
    }

    /// Whether it waits for others to go on from what was made for them alone.
    var waitsForOthers: Bool { pace != .decided }

    /// It differs from device to device and from epoch to epoch.
    private func delay(after newest: EpochID, passing: Duration?, at now: SteadyInstant) -> Duration {
        if let passing, passing > .zero, waitsForOthers { return passing }
        if let lastAsked, lastAsked.predecessor == newest {
            return max(.microseconds(1), lastAsked.at + KeyRotation.patience - now)
        }
        guard pace == .afterAWhile else { return .zero }
        let mixed = zip(own.bytes, newest.bytes).reduce(UInt64(0)) { $0 &* 257 &+ UInt64($1.0 ^ $1.1) }
        return .microseconds(1_000_000 + Int64(mixed % 4_000_000))
    }

    /// The server is asked to keep this epoch.
    mutating func ask(for epoch: EpochID, after predecessor: EpochID, at now: SteadyInstant) {
        phase = .asked(Step(predecessor: predecessor, epoch: epoch))
        lastAsked = (predecessor, now)
    }
}
