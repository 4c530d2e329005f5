package import FocusCore
import FocusSeal
package import FocusStore
package import FocusSync

/// The handling of the machine's suspensions, in two steps of one transaction: it decides before anything is
/// written, and then writes (docs/timer-rules.md §5).
package struct SuspensionHandling {
    /// An action that the device took by itself, to report to people.
    package enum Deed: Hashable, Sendable {
        /// The session was paused as of this time ago: when the machine was suspended, or when a break ended
        /// during the suspension.
        case paused(ago: Duration)
        /// The pause was taken back, because another device was present during the suspension.
        case tookBack
    }

    private let store: DeviceStore
    private let now: SharedInstant
    /// Whether the decisions are final: the presence of the group's devices is known.
    private let isFinal: Bool
    /// The decision about each suspension.
    private var verdicts: [(suspension: StoredSuspension, verdict: Verdict)] = []

    /// The decision about one suspension.
    private enum Verdict {
        /// The session is paused as of the suspension.
        case pause
        /// The pause that was written for the suspension is undone.
        case takeBack
        /// Nothing is written.
        case leave
    }

    /// Decides about the stored suspensions.
    ///
    /// - Parameters:
    ///   - own: All replicas that the device writes or wrote under.
    ///   - presence: The group's devices by the server's welcome; empty if the device is in no group. Nil if
    ///     the server hasn't been heard.
    ///   - now: The present instant in shared time.
    package init(
        _ store: DeviceStore, own: Set<ReplicaID>, presence: [Presence]?, now: SharedInstant
    ) throws(StoreError) {
        self.store = store
        self.now = now
        let key = try store.deviceKey()
        for suspension in try store.storedSuspensions() {
            let presses = try ActivitySinceSuspension(suspension.sleep, in: store, own: own)
            let wereOthersThere =
                presses.byOthers
                || (presence ?? []).contains {
                    $0.device != key && $0.wasPresent(during: suspension.sleep)
                }
            let verdict: Verdict =
                switch suspension.pause {
                case nil: wereOthersThere || presses.here ? .leave : .pause
                case _?: wereOthersThere ? .takeBack : .leave
                }
            verdicts.append((suspension, verdict))
        }
        isFinal = presence != nil
    }

    /// Writes the events of the decisions. If they aren't final, keeps each suspension with a pause that wasn't
    /// taken back: the server may still report that another device was present.
    package func perform(in authoring: inout AuthoringTransaction) throws(StoreError) -> [Deed] {
        var deeds: [Deed] = []
        var kept: [StoredSuspension] = []
        for (suspension, verdict) in verdicts {
            switch verdict {
            case .leave: if suspension.pause != nil { kept.append(suspension) }
            case .takeBack:
                guard let pause = suspension.pause, let event = try store.event(pause),
                    case .pause = event.action, try !store.isTakenBack(event)
                else { continue }
                // If the log doesn't name the replica yet, its first event names the device.
                try authoring.introduceFreshReplica()
                try authoring.write(.undo(pause))
                deeds.append(.tookBack)
            case .pause:
                guard let action = suspension.sleep.pause(authoring.state), let at = action.at else {
                    continue
                }
                try authoring.introduceFreshReplica()
                let event = try authoring.write(action)
                kept.append(StoredSuspension(suspension.sleep, pause: event.id))
                deeds.append(.paused(ago: max(.zero, now - at)))
            }
        }
        try store.setStoredSuspensions(isFinal ? [] : kept)
        return deeds
    }
}

/// The result of deciding about suspensions without the server.
package struct SuspensionResult: Hashable, Sendable {
    /// The actions taken. Empty if no suspension called for any.
    package let deeds: [SuspensionHandling.Deed]
    /// The events that were written, at `now`.
    package let written: [Event]
    /// The time of the decision, in shared time.
    package let now: SharedInstant
}

extension Presence {
    /// Whether the device is known to have been present while this machine was suspended.
    ///
    /// A connected device has been connected since `lastSeen`; another one was last connected then. If
    /// `lastSeen` is after the suspension, nothing is known about the time before, so the result is false.
    fileprivate func wasPresent(during sleep: Suspension) -> Bool {
        guard lastSeen <= sleep.until else { return false }
        return isConnected || lastSeen - Suspension.grace > sleep.from
    }
}

extension Device {
    /// Stores a suspension to decide about later, if the setting `sleep` is on and a session was running. An
    /// earlier suspension that is still undecided is decided about now. If nobody was at the laptop when it
    /// fell asleep, the stored suspension begins with that absence, and nothing is asked about it.
    ///
    /// - Parameter found: A suspension in this boot.
    /// - Returns: The result for the earlier suspension, or nil if there was none.
    package func record(_ found: DetectedSuspension) throws(StoreError) -> SuspensionResult? {
        let from = try now() - (clocks.sinceBoot() - found.from)
        guard let sleep = Suspension(from: from, until: from + found.length), sleep.isLong,
            try LaptopSetting.sleep.isOn(store)
        else { return nil }
        let result = try hasUndecidedSuspensions() ? decideAboutSuspensions() : nil
        try store.atomically { () throws(StoreError) in
            let absence = try store.absence().flatMap { $0.reaches(sleep.from) ? $0 : nil }
            let begin = min(absence?.from ?? sleep.from, sleep.from)
            guard let away = Suspension(from: begin, until: sleep.until),
                away.pause(try store.state()) != nil
            else { return }
            try store.setStoredSuspensions(try store.storedSuspensions() + [StoredSuspension(away)])
            if absence != nil { try store.setAbsence(nil) }
        }
        return result
    }

    /// Decides about the stored suspensions without asking the server which devices were present. The
    /// decision is final if the device is in no group.
    package func decideAboutSuspensions() throws(StoreError) -> SuspensionResult {
        let now = try now()
        let own = try ownReplicas()
        let (deeds, events) = try store.author(now: now) { (authoring) throws(StoreError) in
            let handling = try SuspensionHandling(
                store, own: own, presence: try store.group() == nil ? [] : nil, now: now)
            return try handling.perform(in: &authoring)
        }
        return SuspensionResult(deeds: deeds, written: events, now: now)
    }

    /// Whether an undecided suspension is stored.
    package func hasUndecidedSuspensions() throws(StoreError) -> Bool {
        try store.storedSuspensions().contains { $0.pause == nil }
    }
}

/// A suspension of the machine in this boot, by `SuspensionDetector`.
package struct DetectedSuspension: Hashable {
    /// The last time before it at which the machine was known to be awake.
    package let from: SteadyInstant
    /// The length of the suspension.
    package let length: Duration

    /// A suspension of this length.
    ///
    /// - Parameter from: The last time at which the machine was known to be awake before.
    package init(from: SteadyInstant, length: Duration) {
        self.from = from
        self.length = length
    }
}

/// A detector of the machine's suspensions. It compares two clocks that nobody can set. Only one of them counts
/// the time of a suspension.
package struct SuspensionDetector {
    private let clocks: MachineClocks
    private var sinceBoot: SteadyInstant
    private var awake: SteadyInstant

    /// The shortest suspension that is detected. A smaller difference is the clocks' inaccuracy.
    private static let shortest = Duration.seconds(2)

    /// Watches from now on. Earlier suspensions aren't detected.
    package init(_ clocks: MachineClocks) {
        self.clocks = clocks
        sinceBoot = clocks.sinceBoot()
        awake = clocks.awake()
    }

    /// Returns the suspension since the last call, or nil if there was none.
    package mutating func check() -> DetectedSuspension? {
        let before = (sinceBoot: sinceBoot, awake: awake)
        (sinceBoot, awake) = (clocks.sinceBoot(), clocks.awake())
        let length = (sinceBoot - before.sinceBoot) - (awake - before.awake)
        guard length > SuspensionDetector.shortest else { return nil }
        return DetectedSuspension(from: before.sinceBoot, length: length)
    }
}
