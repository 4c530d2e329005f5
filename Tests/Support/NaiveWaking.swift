package import FocusCore

/// One sleep of a machine, as far as its device can know of it.
package struct NaiveSleep: Hashable, Sendable {
    /// The possible instants at which the machine was last seen awake. There are several because the agent
    /// looks only every five seconds.
    package let from: ClosedRange<SharedInstant>
    /// The length of the sleep.
    package let length: Duration
    /// The pause that the device has written because of the sleep.
    package var pause: Event?
    /// Whether the device may have missed the sleep.
    package var mayBeUnknown = false

    package init(from: ClosedRange<SharedInstant>, length: Duration) {
        self.from = from
        self.length = length
    }

    /// Whether the sleep is long enough to count: more than five minutes. A shorter one doesn't show that a
    /// person was away.
    package var isLong: Bool { length > 300_000 }
}

/// The actions of a device about time that its machine slept through (docs/timer-rules.md §5, "Time asleep"),
/// in a second implementation.
///
/// It examines the whole log for each question, and for each instant at which the machine may have been seen
/// awake last.
package struct NaiveWaking {
    /// Another device of the group, as the server's welcome lists it.
    package struct Witness: Hashable, Sendable {
        let isConnected: Bool
        /// The time since which it has been connected, or its last time online.
        let lastSeen: SharedInstant

        package init(isConnected: Bool, lastSeen: SharedInstant) {
            (self.isConnected, self.lastSeen) = (isConnected, lastSeen)
        }
    }

    /// The outcome of a sleep.
    package enum Outcome: Hashable, Sendable {
        case nothing
        case pause(RunID, at: SharedInstant)
        case takeBack(EventID)

        /// The action to write, or nil if there is none.
        package var action: Action? {
            switch self {
            case .nothing: nil
            case .pause(let run, let at): .pause(run, at: at)
            case .takeBack(let pause): .undo(pause)
            }
        }
    }

    package let sleeps: [NaiveSleep]
    /// The group's other devices; empty without a group or if the server can't be asked.
    private let others: [Witness]

    package init(_ sleeps: [NaiveSleep], others: [Witness] = []) {
        self.sleeps = sleeps
        self.others = others
    }

    /// Whether the machine slept after `instant`.
    func hasSlept(since instant: SharedInstant) -> Bool {
        sleeps.contains { $0.from.lowerBound + $0.length > instant }
    }

    /// Whether the sleep would pause anything in the log. If not, the device doesn't record it.
    ///
    /// - Returns: Nil if it depends on the instant at which the machine was last seen awake.
    package static func isWorthKeeping(_ sleep: NaiveSleep, in log: [Event]) -> Bool? {
        guard sleep.isLong, let log = NaiveTimer.log(of: log) else { return false }
        let fold = NaiveFold(log: log)
        let answers = Set(
            instants(of: sleep, nil).map {
                pause(fold, from: $0, until: $0 + sleep.length).outcome != .nothing
            })
        return answers.count == 1 ? answers.first : nil
    }

    /// Returns a sleep's outcome and the rule for it. If several outcomes are possible, it returns the
    /// outcome with the action `hint`. If none has that action, it returns `.nothing`. If that isn't possible
    /// either, it returns the outcome for the latest instant.
    ///
    /// - Parameters:
    ///   - before: The log before the device wrote anything.
    ///   - log: The log with the actions that the device has written so far.
    ///   - own: The replicas under which the device has written.
    ///   - hint: The device's next action.
    package func outcome(
        of sleep: NaiveSleep, before: [Event], in log: [Event], own: Set<ReplicaID>, hint: Action?
    ) -> (outcome: Outcome, why: NaiveRule) {
        let fold = NaiveFold(log: NaiveTimer.log(of: log) ?? [])
        let presses = before.filter { if case .device = $0.action { false } else { true } }
        var possible: [Outcome: NaiveRule] = sleep.mayBeUnknown ? [.nothing: .asleepNothing] : [:]
        var last: (Outcome, NaiveRule) = (.nothing, .asleepNothing)
        for from in NaiveWaking.instants(of: sleep, hint?.at) {
            last = outcome(of: sleep, from: from, presses, log, fold, own)
            possible[last.0] = last.1
        }
        for (outcome, why) in possible {
            if let action = outcome.action, action == hint { return (outcome, why) }
        }
        return possible[.nothing].map { (.nothing, $0) } ?? last
    }

    /// The possible instants at which the machine was last seen awake. The latest comes last.
    private static func instants(of sleep: NaiveSleep, _ hint: SharedInstant?) -> [SharedInstant] {
        let hinted = hint.map { sleep.from.contains($0) ? [$0] : [] } ?? []
        let (first, last) = (sleep.from.lowerBound.milliseconds, sleep.from.upperBound.milliseconds)
        let between = stride(from: first, to: last, by: 250).map { SharedInstant(milliseconds: $0) }
        return hinted + between + [sleep.from.upperBound]
    }

    private func outcome(
        of sleep: NaiveSleep, from: SharedInstant, _ presses: [Event], _ log: [Event], _ fold: NaiveFold,
        _ own: Set<ReplicaID>
    ) -> (Outcome, NaiveRule) {
        let until = from + sleep.length
        // Signs of others count only after this instant. People close their laptops one after the other, and
        // a server takes a minute to notice.
        let alone = from + 120_000
        // The rule by which another device was there during the sleep, or nil if none was.
        var there: NaiveRule?
        // A device that connected after the machine woke says nothing about the time before.
        for other in others where other.lastSeen <= until {
            if other.isConnected {
                there = .asleepConnected
            } else if other.lastSeen > alone {
                there = .asleepSeen
            }
        }
        if presses.contains(where: { !own.contains($0.id.replica) && $0.time > alone }) {
            there = .asleepPressed
        }
        if let pause = sleep.pause {
            guard there != nil else { return (.nothing, .asleepStays) }
            // The pause has another id if its log has parted since.
            let standing = NaiveUndo(sorted: log).notUndone.first {
                own.contains($0.id.replica) && $0.stamp == pause.stamp && $0.action.at == pause.action.at
            }
            return standing.map { (.takeBack($0.id), .asleepTakenBack) } ?? (.nothing, .asleepTakenBackBefore)
        }
        if let there { return (.nothing, there) }
        let isDecided = presses.contains { event in
            if case .undo = event.action { return false }
            return own.contains(event.id.replica) && event.time >= until
        }
        if isDecided { return (.nothing, .asleepDecidedHere) }
        return NaiveWaking.pause(fold, from: from, until: until)
    }

    /// Returns the run and the beginning of the time about which a device asks after an absence, or nil if it
    /// asks nothing (docs/timer-rules.md §5, "Nobody there").
    package static func question(
        from: SharedInstant, until: SharedInstant, in log: [Event], own: Set<ReplicaID>
    ) -> (run: RunID, from: SharedInstant)? {
        guard let sorted = NaiveTimer.log(of: log) else { return nil }
        let wereOthersThere = sorted.contains { event in
            if case .device = event.action { return false }
            return !own.contains(event.id.replica) && event.time > from + 120_000
        }
        guard !wereOthersThere,
            case .pause(let run, let at) = pause(NaiveFold(log: sorted), from: from, until: until).outcome,
            until - at > 300_000
        else { return nil }
        return (run, at)
    }

    /// The pause that keeps the time asleep from counting, if one is needed.
    private static func pause(
        _ fold: NaiveFold, from: SharedInstant, until: SharedInstant
    ) -> (outcome: Outcome, why: NaiveRule) {
        guard let id = fold.currentID, var run = fold.runs[id] else { return (.nothing, .asleepNothing) }
        var at = max(from, run.anchor)
        var why = NaiveRule.asleepPaused
        run.advance(to: at, settings: fold.settings)
        if case .waiting(let begins, _) = run.clock {
            at = begins
            run.advance(to: at, settings: fold.settings)
        }
        if run.activity != "work", case .running(_, let endsAt) = run.clock {
            why = .asleepBreak
            at = endsAt
            run.advance(to: at, settings: fold.settings)
        }
        guard case .running = run.clock, at < until else { return (.nothing, .asleepNothing) }
        return (.pause(id, at: at), why)
    }
}
