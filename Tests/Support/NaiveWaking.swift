package import FocusCore

/// A stretch that a machine has slept through, as far as its device may know of it.
package struct NaiveSleep: Hashable, Sendable {
    /// When the machine was last seen awake before: one of these instants, as the agent
    /// looks every five seconds.
    package let from: ClosedRange<SharedInstant>
    /// How long it slept.
    package let length: Duration
    /// The pause that the device has written on account of it.
    package var pause: Event?
    /// Whether it may be that the device has taken no note of it.
    package var mayBeUnknown = false

    package init(from: ClosedRange<SharedInstant>, length: Duration) {
        self.from = from
        self.length = length
    }

    /// A shorter one says nothing about who was there.
    package var isLong: Bool { length > 300_000 }
}

/// What a device does about time that its machine slept through (docs/timer-rules.md §5, "Time asleep"), a second time:
/// every question is asked of the whole log anew, once for each instant at which the machine may have been seen awake last.
package struct NaiveWaking {
    /// Another device of the group, as the server's welcome lists it.
    package struct Witness: Hashable, Sendable {
        let isConnected: Bool
        /// Since when it has been connected, or when it was last.
        let lastSeen: SharedInstant

        package init(isConnected: Bool, lastSeen: SharedInstant) {
            (self.isConnected, self.lastSeen) = (isConnected, lastSeen)
        }
    }

    /// What becomes of a sleep.
    package enum Outcome: Hashable, Sendable {
        case nothing
        case pause(RunID, at: SharedInstant)
        case takeBack(EventID)

        /// What is written.
        package var action: Action? {
            switch self {
            case .nothing: nil
            case .pause(let run, let at): .pause(run, at: at)
            case .takeBack(let pause): .undo(pause)
            }
        }
    }

    package let sleeps: [NaiveSleep]
    /// The group's other devices; empty where the server hasn't been asked, or there is no group.
    private let others: [Witness]

    package init(_ sleeps: [NaiveSleep], others: [Witness] = []) {
        self.sleeps = sleeps
        self.others = others
    }

    /// Whether the machine slept after this instant.
    func hasSlept(since instant: SharedInstant) -> Bool {
        sleeps.contains { $0.from.lowerBound + $0.length > instant }
    }

    /// Whether anything would be paused by the log as it is: otherwise the device takes no note of the sleep.
    ///
    /// - Returns: nil where it depends on the instant.
    package static func isWorthKeeping(_ sleep: NaiveSleep, in log: [Event]) -> Bool? {
        guard sleep.isLong, let log = NaiveTimer.log(of: log) else { return false }
        let fold = NaiveFold(log: log)
        let answers = Set(
            instants(of: sleep, nil).map {
                pause(fold, from: $0, until: $0 + sleep.length).outcome != .nothing
            })
        return answers.count == 1 ? answers.first : nil
    }

    /// What becomes of a sleep, and why. Where that depends on the instant it is the hint, if that is among what may be.
    ///
    /// - Parameters:
    ///   - before: The log as it was before the device wrote anything.
    ///   - log: The log with what it wrote by now.
    ///   - hint: What it wrote next.
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

    /// The instants at which the machine may have been seen awake last, the latest last.
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
        // Lids are closed one after the other, and a server takes a minute to notice.
        let alone = from + 120_000
        var there: NaiveRule?
        // Whoever came after it woke says nothing of the time before.
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
            // It may be called otherwise by now, where its log had parted.
            let standing = NaiveUndo(sorted: log).rest.first {
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

    /// What keeps the time asleep from being counted.
    private static func pause(
        _ fold: NaiveFold, from: SharedInstant, until: SharedInstant
    ) -> (outcome: Outcome, why: NaiveRule) {
        guard let id = fold.currentID, var run = fold.runs[id] else { return (.nothing, .asleepNothing) }
        var at = max(from, run.anchor)
        var why = NaiveRule.asleepPaused
        run.advance(to: at, settings: fold.settings)
        if run.activity != "work", case .running(_, let endsAt) = run.clock {
            why = .asleepBreak
            at = endsAt
            run.advance(to: at, settings: fold.settings)
        }
        guard case .running = run.clock, at < until else { return (.nothing, .asleepNothing) }
        return (.pause(id, at: at), why)
    }
}
