import FocusCore
import FocusDevice
import FocusSeal
import FocusSync

/// The schedule of key changes on one connection (docs/protocol.md, "Epochs and revocations"). It tracks
/// whether the newest epoch has to be reviewed, and how long this device waits for others to make the next
/// epoch. It also tracks the request that the server hasn't answered.
///
/// It has no side effects: the driver reports events to it and carries out its decisions.
package struct KeyRotation {
    /// The delay before a device makes an epoch that is due.
    package enum Pace: Hashable, Sendable {
        /// No delay, because a person has just decided who is in the group. Not even the wait for other
        /// devices (`waitsForOthers`).
        case decided
        /// No delay, because somebody waits for the result.
        case atOnce
        /// A few seconds, different for each device, so that not all devices make one.
        case afterAWhile
    }

    /// An epoch and its predecessor.
    private struct Step: Hashable {
        let predecessor: EpochID
        let epoch: EpochID
    }

    private enum Phase: Hashable {
        /// The newest epoch is valid, or nothing is known against it.
        case resting
        /// The next epoch is made at this instant, if it is still due then.
        case waiting(until: SteadyInstant)
        /// The server was asked to keep this epoch and hasn't answered.
        case asked(Step)
    }

    private let pace: Pace
    private let own: Digest
    /// The device's view of the epochs; nil before it has processed them.
    private(set) var ring: KeyRing?
    private var phase = Phase.resting
    /// Whether something has changed after which the newest epoch may no longer be valid.
    private var isDue = true
    /// The predecessor and the instant of the last request for a new epoch.
    private var lastAsked: (predecessor: EpochID, at: SteadyInstant)?
    /// The unusable records that were last reported.
    private var bad: Set<EpochID> = []
    /// The usable records at the start of this connection, which the server was told about; nil before the
    /// device has processed them.
    private var held: Set<EpochID>?
    /// The devices and rulings in the log when the newest epoch was last checked against them.
    private var devices: [ReplicaID: ReplayState.Device] = [:]
    private var rulings: [Digest: Ruling] = [:]

    /// The minimum time between two requests for a successor of the same epoch.
    static let patience = Duration.seconds(60)

    /// - Parameter own: The key of this device.
    init(_ pace: Pace, by own: Digest) {
        self.pace = pace
        self.own = own
    }

    /// Whether it is undecided if the newest epoch is valid.
    var isOpen: Bool { isDue || isAsked }

    /// The instant at which to make the next epoch; nil if none is planned.
    var deadline: SteadyInstant? { if case .waiting(let until) = phase { until } else { nil } }

    private var isAsked: Bool { if case .asked = phase { true } else { false } }

    /// Whether the newest epoch's record shuts all of these devices out.
    func keepsOut(_ devices: Set<Digest>) -> Bool {
        guard let ring, let newest = ring.newest else { return false }
        return Set(ring.body(of: newest)?.revoked ?? []).isSuperset(of: devices)
    }

    // MARK: - Events

    /// Notes a change after which the newest epoch may no longer be valid.
    mutating func changed() { isDue = true }

    /// Notes the log's new state.
    mutating func replayed(_ state: ReplayState) {
        guard state.devices != devices || state.rulings != rulings else { return }
        devices = state.devices
        rulings = state.rulings
        isDue = true
    }

    /// Notes the device's new view of the epochs.
    ///
    /// - Returns: The number of unusable records; nil if all of them were reported before.
    mutating func adopted(_ ring: KeyRing) -> Int? {
        self.ring = ring
        isDue = true
        held = held ?? ring.usable
        guard !ring.bad.isSubset(of: bad) else { return nil }
        bad = ring.bad
        return bad.count
    }

    /// Whether a record that the server believes to be here turned out to be bad. The server sends it again
    /// only on another connection. A group operation doesn't wait for that.
    var needsAnotherConnection: Bool {
        guard let ring, let held, pace == .afterAWhile else { return false }
        return !held.isDisjoint(with: ring.bad)
    }

    /// Notes that an epoch's record arrived.
    ///
    /// - Returns: Whether it is the epoch that the server was asked to keep.
    mutating func received(_ record: EpochRecord) -> Bool {
        guard case .asked(let step) = phase,
            step.epoch == record.epoch || step.predecessor == record.predecessor
        else { return false }
        phase = .resting
        return step.epoch == record.epoch
    }

    /// Notes that the server refused an epoch.
    ///
    /// - Returns: Whether that was the epoch that the server was asked to keep.
    mutating func refused(_ epoch: EpochID) -> Bool {
        guard case .asked(let step) = phase, epoch == step.epoch else { return false }
        phase = .resting
        isDue = true
        return true
    }

    /// Allows the next request at once. The server refused the last one because it lacked an epoch, and was
    /// told of that epoch since.
    mutating func mayAskAgain() { lastAsked = nil }

    // MARK: - Decisions

    /// Whether to review the newest epoch now. If so, it counts as reviewed.
    mutating func startReview() -> Bool {
        guard isDue, !isAsked else { return false }
        isDue = false
        phase = .resting
        return true
    }

    /// Whether the wait is over. If so, the wait is cleared.
    mutating func endWait(at now: SteadyInstant) -> Bool {
        guard let deadline, deadline <= now else { return false }
        phase = .resting
        return true
    }

    /// Whether this device makes the successor of the newest epoch now. If not, starts the wait for it.
    ///
    /// - Parameter passing: The rest of the wait for other devices (`waitsForOthers`); nil if there is
    ///   nothing to wait for.
    mutating func makesNext(after newest: EpochID, passing: Duration?, at now: SteadyInstant) -> Bool {
        let wait = delay(after: newest, passing: passing, at: now)
        guard wait > .zero else { return true }
        phase = .waiting(until: now + wait)
        return false
    }

    /// Whether the device waits before it passes over another member's epoch. It can't get that epoch's key,
    /// but other devices can, and may continue from there (docs/protocol.md, "Making one"). `EpochWait` has
    /// the wait's length.
    var waitsForOthers: Bool { pace != .decided }

    /// Returns the delay, which differs from device to device and from epoch to epoch.
    private func delay(after newest: EpochID, passing: Duration?, at now: SteadyInstant) -> Duration {
        if let passing, passing > .zero, waitsForOthers { return passing }
        if let lastAsked, lastAsked.predecessor == newest {
            return max(.microseconds(1), lastAsked.at + KeyRotation.patience - now)
        }
        guard pace == .afterAWhile else { return .zero }
        let mixed = zip(own.bytes, newest.bytes).reduce(UInt64(0)) { $0 &* 257 &+ UInt64($1.0 ^ $1.1) }
        return .microseconds(1_000_000 + Int64(mixed % 4_000_000))
    }

    /// Notes that the server is asked to keep this epoch.
    mutating func ask(for epoch: EpochID, after predecessor: EpochID, at now: SteadyInstant) {
        phase = .asked(Step(predecessor: predecessor, epoch: epoch))
        lastAsked = (predecessor, now)
    }
}
