/// A person's request to the timer. All front ends send these.
package enum Interaction: Hashable, Sendable {
    /// Begins a run. Its first phase has `length`, or the setting's length, and begins at `begins`, or now. If
    /// `begins` has passed, `Device.perform` backdates the start instead.
    case start(label: String?, length: Duration? = nil, begins: SharedInstant? = nil)
    case pause
    case resume
    /// The action of the main button: start, pause or resume.
    case toggle
    case stop
    case skip
    /// Ends the work phase as completed.
    case complete
    /// Begins a break, which runs.
    case rest
    /// Makes the present phase longer, or shorter if negative, by whole seconds.
    case addTime(Duration)
    case label(String)
    case set(SettingKey, Int64)
    /// Puts the profile with this name in force.
    case useProfile(String)
    /// Saves the lengths in force under this name.
    case saveProfile(String)
    /// Removes the saved profile with this name.
    case removeProfile(String)
    /// Takes back the last press that changed something.
    case undo
    /// Takes back the last undo.
    case redo
    /// Names this device.
    case nameDevice(String)
    /// Adds to the history a phase that was done without the timer.
    case add(PastPhase)
    /// Gives a record of the history another label.
    case relabel(RecordName, String)
    /// Gives a record of the history other times. Its running intervals are moved by `shift`, whole
    /// milliseconds, and then fitted into the interval.
    case retime(RecordName, Interval, shift: Duration)
    /// Splits a record of the history at an instant. The second part has `label`, or the label of the first
    /// if `label` is nil.
    case split(RecordName, at: SharedInstant, label: String?)
    /// Removes a record from the history.
    case remove(RecordName)
}

/// The reason why an interaction isn't possible now. Nothing was changed.
package enum InteractionError: Error, Hashable, Sendable {
    case nothingRuns
    case alreadyRunning
    case alreadyPaused
    /// The run is paused. It can be resumed, not started.
    case isPaused
    /// The run is waiting for its first phase to begin. It can't be paused or started, but resumed.
    case isWaiting
    /// A break can't be completed. It can be skipped.
    case isBreak
    /// A break is running, or paused after it ran.
    case alreadyBreak
    /// The work phase has been running for less than a second, so it can't be completed.
    case nothingWorked
    /// The length of the first phase is less than a second or more than a day.
    case lengthOutOfRange
    /// A start lies more than a day ahead.
    case tooFarAhead
    case nothingToUndo
    case nothingToRedo
    /// No question about an absence is open, or another one than the answered one.
    case nothingAsked
    /// The value is not in the setting's range.
    case settingOutOfRange(SettingKey)
    /// No profile has this name.
    case noProfile(String)
    /// A profile's name can't be empty or longer than `Profile.longestName`.
    case profileName
    /// A profile with this name can't be saved or removed: it is a built-in one's, or a word of the command.
    case reservedProfile(String)
    /// There are `Profile.mostSaved` saved profiles already.
    case tooManyProfiles
    /// The added time is zero, or more than 86,400 seconds in either direction.
    case timeOutOfRange
    /// That much time can't be taken away: work is in overtime, or the phase hasn't begun and would have less
    /// than a second.
    case noTimeLeft
    /// A press can't take effect in the future.
    case futureInstant
    /// An entry can't end in the future.
    case futureEnd
    /// The timer differs from the timer on the screen, or it has been on the screen for less than
    /// `ScreenTimer.reaction`. The value is the present timer.
    case changed(to: ShownTimer)
}

/// The facts about a device that a press on it depends on.
package struct PressContext: Hashable, Sendable {
    /// The present instant.
    package let now: SharedInstant
    /// The time since the instant at which the press takes effect. It is zero unless the press is backdated.
    package let ago: Duration
    /// Whether the device is cut off from its server.
    package let offline: Bool
    /// The hash of the device's public key, or nil if the device has none.
    package let deviceKey: Digest?
    /// The device's public key, 65 bytes, or nil if the device has none.
    package let publicKey: [UInt8]?
    /// The timer on the screen. It is nil if that isn't known, as with a command.
    package var seen: ScreenTimer?
    /// A random number that identifies an entry that the press adds to the history.
    let mark: UInt64

    /// Creates the context of a press. By default the press takes effect now, and the device has no key and
    /// no known screen.
    ///
    /// - Parameters:
    ///   - ago: If it is negative, the press is refused because it is in the future.
    package init(
        now: SharedInstant, ago: Duration = .zero, offline: Bool, deviceKey: Digest? = nil,
        publicKey: [UInt8]? = nil,
        seen: ScreenTimer? = nil, mark: UInt64
    ) {
        self.now = now
        self.ago = ago
        self.offline = offline
        self.deviceKey = deviceKey
        self.publicKey = publicKey
        self.seen = seen
        self.mark = mark
    }

    /// The `at` of the event that the press writes, or nil if it takes effect now.
    var at: SharedInstant? { ago > .zero ? now - ago : nil }
}

/// The timer as a screen shows it: the phase, and whether its time runs.
package enum ShownTimer: Hashable, Sendable {
    case stopped
    /// The first phase of the run is waiting to begin.
    case waiting(RunID)
    /// `ordinal` is the number of the phase in its run, from 0.
    case running(RunID, ordinal: Int64)
    /// Like `running`. It includes a phase that waits to be started.
    case paused(RunID, ordinal: Int64)

    /// Creates the shown timer of a state.
    package init(_ timer: TimerState) {
        self =
            switch timer.status {
            case .stopped: .stopped
            case .waiting(let run, _, _): .waiting(run.id)
            case .running(let run, _, _): .running(run.id, ordinal: run.ordinal)
            case .paused(let run, _): .paused(run.id, ordinal: run.ordinal)
            }
    }
}

/// The timer on a screen when somebody pressed there, and for how long it had been there (docs/timer-rules.md
/// §5, "Pressing").
package struct ScreenTimer: Hashable, Sendable {
    /// The timer as the screen showed it.
    package let shown: ShownTimer
    /// The time since the shown timer last changed. It is nil if a press on that screen changed it, because
    /// people know the results of their own presses.
    package let age: Duration?

    /// Creates the timer on a screen.
    ///
    /// - Parameter age: The time for which it has been shown, or nil if a press on that screen caused it.
    package init(_ shown: ShownTimer, age: Duration? = nil) {
        self.shown = shown
        self.age = age
    }

    /// The time after a change during which a press is still meant for the timer shown before. The finger was
    /// already moving.
    package static let reaction = Duration.seconds(1)

    /// Whether a press on that screen is meant for `present`, the timer when the press arrives.
    package func isMeant(for present: ShownTimer) -> Bool {
        shown == present && age.map { $0 >= ScreenTimer.reaction } ?? true
    }
}

extension Interaction {
    /// Whether the interaction is meant only for the timer on the screen. An undo isn't, because it finds its
    /// event in the log.
    package var isOnTimer: Bool {
        switch self {
        case .start, .pause, .resume, .toggle, .stop, .skip, .complete, .rest, .addTime, .label: true
        case .set, .useProfile, .saveProfile, .removeProfile, .undo, .redo, .nameDevice, .add, .relabel,
            .retime, .split, .remove:
            false
        }
    }

    /// Throws `InteractionError.changed` if the interaction was meant for another timer than `timer`, the
    /// present one.
    ///
    /// - Parameter seen: The timer on the screen, or nil if it isn't known.
    package func check(_ seen: ScreenTimer?, _ timer: TimerState) throws(InteractionError) {
        let shown = ShownTimer(timer)
        if isOnTimer, let seen, !seen.isMeant(for: shown) { throw .changed(to: shown) }
    }
}

/// A phase that somebody did without the timer, to be added to the history. It has the limits of a `record`
/// (docs/timer-rules.md §4), but its end isn't compared with the present.
package struct PastPhase: Hashable, Sendable {
    /// The reason why a phase isn't possible.
    package enum Problem: Error, Hashable, Sendable {
        /// It ends at its beginning, or before.
        case noLength
        /// It is longer than a day.
        case tooLong
        /// It begins before 1970.
        case tooEarly
    }

    /// The purpose of the phase: work or a break.
    package let activity: Activity
    /// The time of the phase.
    package let interval: Interval
    /// The way in which it ended. Completed work counts for the daily goal.
    package let outcome: Outcome
    /// The name of the work, cleaned (`Text`), or empty if it has none.
    package let label: String

    /// Creates a phase.
    ///
    /// - Throws: A `Problem` if the interval isn't possible.
    package init(
        _ activity: Activity, _ interval: Interval, _ outcome: Outcome = .completed, label: String
    ) throws(Problem) {
        guard interval.from < interval.to else { throw .noLength }
        guard interval.from >= .zero else { throw .tooEarly }
        guard interval.length <= Action.Record.longest else { throw .tooLong }
        self.activity = activity
        self.interval = interval
        self.outcome = outcome
        self.label = Text.oneLine(label)
    }

    /// Returns the content of the event that adds the phase.
    package func record(source: String) -> Action.Record {
        Action.Record(
            activity: activity.rawValue, startedAt: interval.from, endedAt: interval.to,
            outcome: outcome.rawValue, label: label, source: source)
    }
}
