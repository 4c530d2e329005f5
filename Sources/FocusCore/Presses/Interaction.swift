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
    case addTime(seconds: Int64)
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
    /// What the device's next event will be called.
    package var next: EventID

    /// What a device knows at a press; unless said otherwise, of one that takes effect now, with no key and no screen
    /// known of.
    ///
    /// - Parameters:
    ///   - ago: Where negative, the press is refused as one in the future.
    package init(
        now: SharedInstant, ago: Duration = .zero, offline: Bool, deviceKey: Digest? = nil,
        publicKey: [UInt8]? = nil,
        seen: SeenTimer? = nil, next: EventID
    ) {
        self.now = now
        self.ago = ago
        self.offline = offline
        self.deviceKey = deviceKey
        self.publicKey = publicKey
        self.seen = seen
        self.next = next
    }

    /// The `at` of an event pressed so: nil where it takes effect now.
    var at: SharedInstant? { ago > .zero ? now - ago : nil }
}
