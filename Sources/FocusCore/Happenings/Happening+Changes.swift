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
