/// What a person asks of the timer, from whichever front end. All front ends send these.
package enum Interaction: Hashable, Sendable {
    case start(label: String?)
    case pause
    case resume
    /// What the main button says: start, pause or resume.
    case toggle
    case stop
    case skip
    /// More or less time in this phase, in seconds.
    case addTime(Duration)
    case label(String)
    case set(SettingKey, Int64)
    /// Takes back the last press that changed something.
    case undo
    /// Takes back the last undo.
    case redo
    /// Names this device.
    case nameDevice(String)
    /// Adds to the history what was done without the timer.
    case add(PastPhase)
    /// Gives a record of the history another label.
    case relabel(RecordName, String)
    /// Gives a record of the history other times: what was worked is moved by so many whole milliseconds and fitted in between.
    case retime(RecordName, Interval, shift: Duration)
    /// Makes two of a record of the history, at an instant; the second under this label, or the same where that is nil.
    case split(RecordName, at: SharedInstant, label: String?)
    /// Takes a record out of the history.
    case remove(RecordName)
}

/// Why an interaction can't be done now. Nothing was changed.
package enum NotNow: Error, Hashable, Sendable {
    case nothingRuns
    case alreadyRunning
    case alreadyPaused
    /// The session is paused: it can be resumed, not started.
    case isPaused
    case nothingToUndo
    case nothingToRedo
    /// The value is not in the setting's range.
    case settingOutOfRange(SettingKey)
    /// More than a day of seconds, or none at all.
    case timeOutOfRange
    /// A press can't take effect in the future.
    case futureInstant
    /// What was done can't end in the future.
    case futureEnd
    /// The timer isn't what was on the screen, or has been for a moment only: it shows this now.
    case changed(to: ShownTimer)
}

/// What a device knows when somebody presses there.
package struct PressContext: Hashable, Sendable {
    /// The present instant.
    package let now: SharedInstant
    /// How long ago the press takes effect; nothing where it does now.
    package let ago: Duration
    /// Whether the device was cut off from its server.
    package let offline: Bool
    /// The hash of the device's public key, 64 hex digits, where it has one.
    package let deviceKey: Digest?
    /// That key itself, 65 bytes, where it has one.
    package let publicKey: [UInt8]?
    /// What was on the screen; nil where nothing is known of that, as with a command.
    package var seen: SeenTimer?
    /// A random number, by which an entry that is added is known.
    let mark: UInt64

    /// What a device knows at a press; unless said otherwise, of one that takes effect now, with no key and no screen
    /// known of.
    ///
    /// - Parameters:
    ///   - ago: Where negative, the press is refused as one in the future.
    package init(
        now: SharedInstant, ago: Duration = .zero, offline: Bool, deviceKey: Digest? = nil,
        publicKey: [UInt8]? = nil,
        seen: SeenTimer? = nil, mark: UInt64
    ) {
        self.now = now
        self.ago = ago
        self.offline = offline
        self.deviceKey = deviceKey
        self.publicKey = publicKey
        self.seen = seen
        self.mark = mark
    }

    /// The `at` of an event pressed so: nil where it takes effect now.
    var at: SharedInstant? { ago > .zero ? now - ago : nil }
}

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

/// What somebody did without the timer, to be added to the history: as much as a `record` may say
/// (docs/timer-rules.md §4), whenever it is.
package struct PastPhase: Hashable, Sendable {
    /// Why there can be no such phase.
    package enum Problem: Error, Hashable, Sendable {
        /// It ends when it begins, or before.
        case noLength
        /// It is longer than a day.
        case tooLong
        /// It begins before 1970.
        case tooEarly
    }

    /// What was done: work or a break.
    package let activity: Activity
    /// When it was.
    package let interval: Interval
    /// How it ended: completed work counts for the daily goal.
    package let outcome: Outcome
    /// What it is called, cleaned (`Text`); empty where it has no name.
    package let label: String

    /// - Throws: where it can't be.
    package init(
        _ activity: Activity, _ interval: Interval, _ outcome: Outcome = .completed, label: String
    ) throws(Problem) {
        guard interval.from < interval.to else { throw .noLength }
        guard interval.from >= .zero else { throw .tooEarly }
        guard interval.length <= Action.Record.longest else { throw .tooLong }
        self.activity = activity
        self.interval = interval
        self.outcome = outcome
        self.label = Text.cleaned(label)
    }

    /// The event's content that adds it.
    package func record(source: String) -> Action.Record {
        Action.Record(
            activity: activity.rawValue, startedAt: interval.from, endedAt: interval.to,
            outcome: outcome.rawValue, label: label, source: source)
    }
}
