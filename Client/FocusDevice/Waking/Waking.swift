package import FocusCore
import FocusSeal
package import FocusStore
package import FocusSync

/// What a device does about time that it slept through, in two steps of one transaction: what is looked at before
/// anything is written, and what is written then (docs/timer-rules.md §5).
package struct Waking {
    /// What was done, for the person to be told.
    package enum Deed: Hashable, Sendable {
        /// The session was paused as of so long ago: when the machine fell asleep, or when a break was
        /// over while it slept.
        case paused(ago: Duration)
        /// The pause was taken back, as others were there.
        case tookBack
    }

    /// What came of deciding without the server.
    package struct Decision: Hashable, Sendable {
        /// What was done; nothing where no sleep called for it.
        package let deeds: [Deed]
        /// What was written, at `now`.
        package let written: [Event]
        /// When that was decided, in shared time.
        package let now: SharedInstant
    }

    private let store: DeviceStore
    private let now: SharedInstant
    /// Whether it is known who was there, so that nothing is left to be decided.
    private let isKnown: Bool
    /// What to do about each sleep.
    private var verdicts: [(kept: KeptSleep, verdict: Verdict)] = []

    private enum Verdict {
        case pause, takeBack, leave
    }

    /// Looks at the sleeps that are kept.
    ///
    /// - Parameters:
    ///   - own: All replicas that the device has been.
    ///   - presence: The group's devices as the server's welcome lists them, none without a group; nil where the
    ///     server hasn't been heard.
    ///   - now: The present instant in shared time.
    package init(_ store: DeviceStore, own: Set<ReplicaID>, presence: [Presence]?, now: SharedInstant) throws
    {
        self.store = store
        self.now = now
        let key = try store.deviceKey()
        for kept in try store.keptSleeps() {
            let presses = try PressesSince(kept.sleep, in: store, own: own)
            let wereOthersThere =
                presses.byOthers
                || (presence ?? []).contains {
                    $0.device != key && $0.wasThere(during: kept.sleep)
                }
            let verdict: Verdict =
                switch kept.pause {
                case nil: wereOthersThere || presses.here ? .leave : .pause
                case _?: wereOthersThere ? .takeBack : .leave
                }
            verdicts.append((kept, verdict))
        }
        isKnown = presence != nil
    }

    /// Writes what follows, and keeps what the server may have more to say about.
    package func carryOut(in authoring: inout Authoring) throws -> [Deed] {
        var deeds: [Deed] = []
        var left: [KeptSleep] = []
        for (kept, verdict) in verdicts {
            switch verdict {
            case .leave: if kept.pause != nil { left.append(kept) }
            case .takeBack:
                guard let pause = kept.pause, let event = try store.event(pause),
                    case .pause = event.action, try !store.isTakenBack(event)
                else { continue }
                try authoring.introduceFreshReplica()
                try authoring.write(.undo(pause))
                deeds.append(.tookBack)
            case .pause:
                guard let action = kept.sleep.pause(authoring.state), let at = action.at else { continue }
                try authoring.introduceFreshReplica()
                let event = try authoring.write(action)
                left.append(KeptSleep(kept.sleep, pause: event.id))
                deeds.append(.paused(ago: max(.zero, now - at)))
            }
        }
        try store.setKeptSleeps(isKnown ? [] : left)
        return deeds
    }
}

extension Presence {
    /// Whether the device was there while the machine slept, as far as is known. Whoever came, or was seen last, after
    /// it woke says nothing about the time before.
    fileprivate func wasThere(during sleep: Sleep) -> Bool {
        guard lastSeen <= sleep.until else { return false }
        return isConnected || lastSeen - Sleep.grace > sleep.from
    }
}
