/// An occurrence that a person may want to be notified of, or to run a program for.
package struct Happening: Hashable, Sendable {
    /// The kind of a happening. Its raw value is the name of its hook.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case start, pause, resume, stop, skip
        /// A phase ran out or was skipped.
        case phaseEnd = "phase-end"
        /// A phase begins to run.
        case phaseStart = "phase-start"
        /// A work phase is over and goes on in overtime.
        case overtime
        /// The time left of a work phase has reached this laptop's setting `warnBefore`.
        case phaseWarning = "phase-warning"
        /// Another laptop joined the group.
        case joined
        /// Another laptop left the group.
        case left
        /// The laptop did something by itself about presses that contradicted each other.
        case conflict
    }

    /// The cause of a happening.
    package enum Cause: Hashable, Sendable {
        /// Time passed, without a press.
        case time
        /// A press on this laptop.
        case own
        /// A press on the laptop with this name.
        case other(String)
    }

    /// The kind, which selects the hook and the text of the notification.
    package let kind: Kind
    /// The cause.
    package let cause: Cause
    /// The activity of the phase that ended, or else of the phase that is shown now.
    package let activity: Activity
    /// The timer as it is shown now.
    package private(set) var timer: TimerState
    /// Further text for the person. It is empty except for `conflict`, for an undo, and for a press that took
    /// effect some time ago.
    package var message: String
    /// The time since anybody last pressed on the run, if the run closed by itself; otherwise nil.
    package let untouched: Duration?

    /// Whether a bell rings for it if no notification can be shown.
    package var isRinging: Bool {
        switch kind {
        case .phaseEnd, .phaseStart, .overtime: cause == .time
        case .phaseWarning: true
        case .start, .pause, .resume, .stop, .skip, .joined, .left, .conflict: false
        }
    }

    /// Creates a happening after which `timer` is shown.
    ///
    /// - Parameters:
    ///   - activity: The activity of the phase that ended. Nil stands for the phase that is shown, or for
    ///     work if the timer is stopped.
    ///   - untouched: The time since anybody last pressed on the run, if it closed by itself.
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

    /// Returns the same happening, after which `timer` is shown.
    package func showing(_ timer: TimerState) -> Happening {
        var copy = self
        copy.timer = timer
        return copy
    }
}

extension Happening {
    /// Returns the happenings between two instants, in order.
    ///
    /// - Parameters:
    ///   - before: The log's state when it was last checked, at `then`.
    ///   - after: The log's state at `now`. Time changes the timer from `before` at `then` to `before` at
    ///     `now`. Presses cause all further differences.
    ///   - presser: The cause of the last press.
    ///   - isCompletion: Whether the last press completed a phase. Then the phase's end isn't reported as a skip.
    ///   - isPlanned: Whether the last press was a start that lay ahead. Then only time begins a phase.
    package static func changes(
        from before: ReplayState, at then: SharedInstant, to after: ReplayState, at now: SharedInstant,
        pressedBy presser: Cause, isCompletion: Bool = false, isPlanned: Bool = false
    ) -> [Happening] {
        let changes = changes(from: before, at: then, to: after, at: now, presser)
        if isPlanned {
            return changes.map { $0.kind == .phaseStart ? Happening(.phaseStart, .time, $0.timer) : $0 }
        }
        return isCompletion ? changes.filter { $0.kind != .skip } : changes
    }

    private static func changes(
        from before: ReplayState, at then: SharedInstant, to after: ReplayState, at now: SharedInstant,
        _ presser: Cause
    ) -> [Happening] {
        let shown = TimerState(before, at: then)
        // The timer at `now` without the presses. If the clock was set back, no time has passed.
        let passed = TimerState(before, at: max(then, now))
        let present = TimerState(after, at: now)
        // If a press took effect some time ago, phases that seemed to run out since may not have ended.
        if let old = shown.run, let run = present.run, old.id == run.id {
            // The ordinal that the timer would show without the presses; the greatest number if the run would
            // have closed.
            let ordinalByTime = passed.run?.ordinal ?? .max
            let wouldHaveRun = run.ordinal < ordinalByTime || passed.run?.hasBeenRunning == true
            if old.ordinal < run.ordinal, run.ordinal <= ordinalByTime, !run.hasBeenRunning, wouldHaveRun {
                // A phase has ended and the next one waits. Without the presses, it would have begun.
                return [
                    Happening(.phaseEnd, .time, activity: old.activity, present),
                    Happening(.pause, presser, present),
                ]
            }
            // A press took effect before some of these phases would have ended. So no end is reported as
            // caused by time.
            if run.ordinal < ordinalByTime { return byPress(shown, present, presser) }
            // A press took effect before the phase got into overtime, or gave it more time.
            if run.ordinal == ordinalByTime, passed.overtime != nil, present.overtime == nil {
                return byPress(shown, present, presser)
            }
        }
        if case .waiting = shown.status, case .paused(let run, _) = present.status, !run.hasBeenRunning {
            // The machine slept as work was to begin, so the work waits to be started.
            return byPress(shown, present, presser)
        }
        let untouched = before.current.map { now - $0.touchedAt }
        return byTime(shown, passed, untouched) + byPress(passed, present, presser)
    }

    /// Returns the happenings that only time caused: phases ran out, or an abandoned run closed.
    private static func byTime(
        _ before: TimerState, _ after: TimerState, _ untouched: Duration?
    ) -> [Happening] {
        guard let old = before.run else { return [] }
        guard let run = after.run else {
            return [Happening(.stop, .time, activity: old.activity, after, untouched: untouched)]
        }
        let wasWaiting = if case .waiting = before.status { true } else { false }
        if run.ordinal != old.ordinal { return ends(of: old, .time, after) }
        let isOver = before.overtime == nil && after.overtime != nil
        return (wasWaiting ? starts(.time, after) : []) + (isOver ? [Happening(.overtime, .time, after)] : [])
    }

    /// Returns the happenings that presses caused.
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
        case (.running, .paused), (.waiting, .paused): return [Happening(.pause, presser, after)]
        case (.paused, .running), (.waiting, .running):
            // A phase that waited begins. A phase that was paused only continues.
            let begins = !old.hasBeenRunning && run.ordinal == old.ordinal
            return [Happening(.resume, presser, after)] + (begins ? starts(presser, after) : [])
        default: return []
        }
    }

    /// Returns the end of a phase, and the start of the next one if it runs.
    private static func ends(of old: TimerState.Run, _ cause: Cause, _ after: TimerState) -> [Happening] {
        [Happening(.phaseEnd, cause, activity: old.activity, after)] + starts(cause, after)
    }

    /// Returns the start of the shown phase if it runs.
    private static func starts(_ cause: Cause, _ after: TimerState) -> [Happening] {
        if case .running = after.status { [Happening(.phaseStart, cause, after)] } else { [] }
    }
}
