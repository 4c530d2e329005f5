/// Something that a person may want to be told of, or to have a program run for.
package struct Happening: Hashable, Sendable {
    /// What it is, named as its hook is.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case start, pause, resume, stop, skip
        /// A phase has run out, or was skipped.
        case phaseEnd = "phase-end"
        /// A phase begins to run.
        case phaseStart = "phase-start"
        /// Another laptop has come into the group.
        case joined
        /// Another laptop has left it.
        case left
        /// The laptop did something by itself about presses that contradicted each other.
        case conflict
    }

    /// Whose doing it was.
    package enum Cause: Hashable, Sendable {
        /// Nobody's: time has passed.
        case time
        /// Pressed on this laptop.
        case own
        /// Pressed on the laptop of this name.
        case other(String)
    }

    /// What it is: which hook is for it, and what a notification says.
    package let kind: Kind
    /// Whose doing it was.
    package let cause: Cause
    /// What the phase is for that ended, or else the one that is shown now.
    package let activity: Activity
    /// What is shown now.
    package let timer: TimerState
    /// What there is to say of it beyond that: empty but for `conflict`, and for a press that reaches back.
    package var message: String
    /// How long nobody had pressed anything on the session, where it has closed by itself; else nil.
    package let untouched: Duration?

    /// Whether a phase has run out.
    package var isPhaseEndByTime: Bool { kind == .phaseEnd && cause == .time }

    /// A happening after which `timer` is shown.
    ///
    /// - Parameters:
    ///   - activity: What the phase was for that ended; nil stands for the phase that is shown, and for work where
    ///     stopped.
    ///   - untouched: How long nobody had pressed anything, where a session has closed by itself.
    package init(
        _ kind: Kind, _ cause: Cause, activity: Activity? = nil, _ timer: TimerState, message: String = "",
        untouched: Duration? = nil
    ) {
        self.kind = kind
        self.cause = cause
        self.activity = activity ?? timer.run?.activity ?? .work
        self.timer = timer
        self.message = message
        self.untouched = untouched
    }
}

extension Happening {
    /// What has happened between two instants, in the order in which it did.
    ///
    /// - Parameters:
    ///   - before: the log's state as it was last looked at, at `then`.
    ///   - after: the log's state at `now`; what differs from what `before` comes to by then was pressed.
    ///   - presser: who pressed last.
    package static func changes(
        from before: ReplayState, at then: SharedInstant, to after: ReplayState, at now: SharedInstant,
        pressedBy presser: Cause
    ) -> [Happening] {
        let shown = TimerState(before, at: then)
        // Where the clock was set back, nothing has passed.
        let passed = TimerState(before, at: max(then, now))
        let present = TimerState(after, at: now)
        // A press that reaches back may say that time has done none of this.
        if let old = shown.run, let run = present.run, old.id == run.id {
            let seemed = passed.run?.ordinal ?? .max
            let seemedToRun = run.ordinal < seemed || passed.run?.hasBeenRunning == true
            if old.ordinal < run.ordinal, run.ordinal <= seemed, !run.hasBeenRunning, seemedToRun {
                // A phase has ended, and the next one waits, though it seemed to have begun.
                return [
                    Happening(.phaseEnd, .time, activity: old.activity, present),
                    Happening(.pause, presser, present),
                ]
            }
            if run.ordinal < seemed { return byPress(shown, present, presser) }
        }
        let untouched = before.current.map { now - $0.touchedAt }
        return byTime(shown, passed, untouched) + byPress(passed, present, presser)
    }

    /// What time alone has done: phases ran out, or a session that was left closed.
    private static func byTime(
        _ before: TimerState, _ after: TimerState, _ untouched: Duration?
    ) -> [Happening] {
        guard let old = before.run else { return [] }
        guard let run = after.run else {
            return [Happening(.stop, .time, activity: old.activity, after, untouched: untouched)]
        }
        guard run.ordinal != old.ordinal else { return [] }
        return ends(of: old, .time, after)
    }

    private static func byPress(_ before: TimerState, _ after: TimerState, _ presser: Cause) -> [Happening] {
        guard before.status != after.status else { return [] }
        guard let run = after.run else {
            return [Happening(.stop, presser, activity: before.run?.activity, after)]
        }
        guard let old = before.run, old.id == run.id else {
            return [Happening(.start, presser, after)] + starts(presser, after)
        }
        if run.ordinal > old.ordinal {
            return [Happening(.skip, presser, after)] + ends(of: old, presser, after)
        }
        switch (before.status, after.status) {
        case (.running, .paused): return [Happening(.pause, presser, after)]
        case (.paused, .running):
            // A phase that waited to be started begins; one that was paused goes on.
            let begins = !old.hasBeenRunning && run.ordinal == old.ordinal
            return [Happening(.resume, presser, after)] + (begins ? starts(presser, after) : [])
        default: return []
        }
    }

    private static func ends(of old: TimerState.Run, _ cause: Cause, _ after: TimerState) -> [Happening] {
        [Happening(.phaseEnd, cause, activity: old.activity, after)] + starts(cause, after)
    }

    private static func starts(_ cause: Cause, _ after: TimerState) -> [Happening] {
        if case .running = after.status { [Happening(.phaseStart, cause, after)] } else { [] }
    }
}
