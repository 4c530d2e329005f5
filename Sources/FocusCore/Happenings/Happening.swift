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
