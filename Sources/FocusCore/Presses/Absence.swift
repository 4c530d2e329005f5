/// A time in which nobody was at a device, although its machine ran (docs/timer-rules.md §5, "Nobody there").
package struct Absence: Hashable, Sendable {
    /// The instant of the last key or pointer movement, or of the screen's locking.
    package let from: SharedInstant
    /// The instant at which somebody returned, or nil if nobody has.
    package let until: SharedInstant?

    /// Creates an absence, or returns nil if no event could have these instants, or if `until` is before
    /// `from`.
    ///
    /// - Parameter until: The instant of the return, or nil if nobody has returned.
    package init?(from: SharedInstant, until: SharedInstant? = nil) {
        guard Suspension(from: from, until: until ?? from) != nil else { return nil }
        self.from = from
        self.until = until
    }

    /// Whether somebody has returned.
    package var isOver: Bool { until != nil }

    /// Whether nobody was there until shortly before `instant`. A return that is shorter than
    /// `Suspension.longestIgnored` doesn't count as one.
    package func reaches(_ instant: SharedInstant) -> Bool {
        guard let until else { return true }
        return instant - until < Suspension.longestIgnored
    }

    /// Whether the absence may become a question: it keeps work from being counted, or will if it lasts.
    ///
    /// - Parameter state: The state after replaying the log.
    package func concerns(_ state: ReplayState) -> Bool {
        Suspension(from: from, until: Stamp.timeLimit - .milliseconds(1))?.pause(state) != nil
    }
}

/// A person's choice about the work that was counted during an absence.
package enum AbsenceAnswer: String, CaseIterable, Hashable, Sendable {
    /// The time stays counted.
    case keep
    /// The time isn't counted. The session goes on from the return.
    case drop
    /// The session is paused as of the absence's beginning.
    case pause
}

/// The question to a person what becomes of the work that was counted while nobody was there.
package struct AbsenceQuestion: Hashable, Sendable {
    /// The session that ran.
    package let run: RunID
    /// The beginning of the time in question. Later than the absence's beginning if that lay in a break.
    package let from: SharedInstant
    /// The instant of the return.
    package let until: SharedInstant

    /// The question about an absence, or nil if there is nothing to ask: it is too short, nothing was counted,
    /// another device was in use, or a later press has settled it. Cost: linear in the events since.
    ///
    /// - Parameters:
    ///   - state: The state after replaying `log`.
    ///   - own: All replicas under which the device has written.
    package init?<Log: ReplayLog>(
        about absence: Absence, _ state: ReplayState, in log: borrowing Log, own: Set<ReplicaID>
    ) throws(Log.Failure) {
        guard let until = absence.until, let time = Suspension(from: absence.from, until: until),
            let pause = time.pause(state), let run = pause.run, let from = pause.at,
            until - from > Suspension.longestIgnored,
            try !ActivitySinceSuspension(time, in: log, own: own).byOthers
        else { return nil }
        self.run = run
        self.from = from
        self.until = until
    }

    /// The length of the time in question.
    package var length: Duration { until - from }

    /// Returns the actions that carry out an answer.
    package func actions(_ answer: AbsenceAnswer) -> [Action] {
        switch answer {
        case .keep: []
        case .drop: [.pause(run, at: from), .resume(run, at: until)]
        case .pause: [.pause(run, at: from)]
        }
    }
}
