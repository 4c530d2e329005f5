/// What a screen that goes on showing the timer says of it: which phase, and whether its time runs.
package enum ShownTimer: Hashable, Sendable {
    case stopped
    /// `ordinal` is the number of the phase in its run, from 0.
    case running(RunID, ordinal: Int64)
    /// As `running`; also a phase that waits to be started.
    case paused(RunID, ordinal: Int64)

    /// What is shown of a state.
    package init(_ timer: TimerState) {
        self =
            switch timer.status {
            case .stopped: .stopped
            case .running(let run, _, _): .running(run.id, ordinal: run.ordinal)
            case .paused(let run, _): .paused(run.id, ordinal: run.ordinal)
            }
    }
}

/// What was on the screen as somebody pressed there, and for how long it had been (docs/timer-rules.md §5, "Pressing").
package struct SeenTimer: Hashable, Sendable {
    /// What the screen said of the timer.
    package let shown: ShownTimer
    /// How long ago something else than a press on that screen brought it there; nil where nothing did: a person knows
    /// what comes of their own presses.
    package let age: Duration?

    /// What was on a screen.
    ///
    /// - Parameter age: For how long, unless a press on that screen brought it there.
    package init(_ shown: ShownTimer, age: Duration? = nil) {
        self.shown = shown
        self.age = age
    }

    /// For so long a press is still meant for what was shown before: the finger was on its way.
    package static let reaction = Duration.seconds(1)

    /// Whether a press on that screen is meant for `present`, what holds as it comes.
    package func isMeant(for present: ShownTimer) -> Bool {
        shown == present && age.map { $0 >= SeenTimer.reaction } ?? true
    }
}

extension Interaction {
    /// Whether it does something to the timer as it is shown, so that it is meant for that alone. An undo isn't: what it
    /// takes back it looks for in the log.
    package var isOnTimer: Bool {
        switch self {
        case .start, .pause, .resume, .toggle, .stop, .skip, .addTime, .label: true
        case .set, .undo, .redo, .nameDevice, .add, .relabel, .retime, .split, .remove: false
        }
    }

    /// Throws `NotNow.changed` where the interaction was meant for another timer than `timer`, the present one.
    ///
    /// - Parameter seen: What was on the screen; nil where nothing is known of that.
    package func check(_ seen: SeenTimer?, _ timer: TimerState) throws(NotNow) {
        let shown = ShownTimer(timer)
        if isOnTimer, let seen, !seen.isMeant(for: shown) { throw .changed(to: shown) }
    }
}
