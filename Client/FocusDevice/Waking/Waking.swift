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
    package func perform(in authoring: inout Authoring) throws -> [Deed] {
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

extension Device {
    /// Keeps a sleep until something can be decided about it, where the laptop's person wants that and a session was
    /// running. One before it that is undecided yet is decided about now.
    ///
    /// - Parameter found: of this boot.
    /// - Returns: What was done about the one before it; nil where there was none.
    package func record(_ found: SleepWatch.Found) throws -> Waking.Decision? {
        let from = try now() - (clocks.sinceBoot() - found.from)
        guard let sleep = Sleep(from: from, until: from + found.length), sleep.isLong,
            try LaptopSetting.sleep.isOn(store)
        else { return nil }
        let decision = try isUndecidedAboutSleep() ? decideAboutSleep() : nil
        if sleep.pause(try store.state()) != nil {
            try store.setKeptSleeps(try store.keptSleeps() + [KeptSleep(sleep)])
        }
        return decision
    }

    /// Decides about the sleeps that are kept, though the server can't be asked who was there meanwhile; where there is
    /// none to be asked, for good.
    package func decideAboutSleep() throws -> Waking.Decision {
        let now = try now()
        let own = try ownReplicas()
        let (deeds, events) = try store.author(now: now) { authoring in
            let waking = try Waking(
                store, own: own, presence: try store.group() == nil ? [] : nil, now: now)
            return try waking.perform(in: &authoring)
        }
        return Waking.Decision(deeds: deeds, written: events, now: now)
    }

    /// Whether a sleep is kept about which nothing has been decided.
    package func isUndecidedAboutSleep() throws -> Bool {
        try store.keptSleeps().contains { $0.pause == nil }
    }
}

/// Finds out that the machine was asleep, by the two clocks of which one stands still then. Clocks that are set have no
/// say in it.
package struct SleepWatch {
    /// When the machine slept.
    package struct Found: Hashable {
        /// When it was last seen awake before.
        package let from: SteadyInstant
        /// How long it slept.
        package let length: Duration

        /// A sleep.
        ///
        /// - Parameter from: when the machine was last seen awake before.
        package init(from: SteadyInstant, length: Duration) {
            self.from = from
            self.length = length
        }
    }

    private let clocks: MachineClocks
    private var sinceBoot: SteadyInstant
    private var awake: SteadyInstant

    /// Less than this is the clocks' own inaccuracy.
    private static let shortest = Duration.seconds(2)

    /// Watches from now on: what was slept before isn't found.
    package init(_ clocks: MachineClocks) {
        self.clocks = clocks
        sinceBoot = clocks.sinceBoot()
        awake = clocks.awake()
    }

    /// The sleep, if any, since this was last asked.
    package mutating func check() -> Found? {
        let before = (sinceBoot: sinceBoot, awake: awake)
        (sinceBoot, awake) = (clocks.sinceBoot(), clocks.awake())
        let length = (sinceBoot - before.sinceBoot) - (awake - before.awake)
        return length > SleepWatch.shortest ? Found(from: before.sinceBoot, length: length) : nil
    }
}
