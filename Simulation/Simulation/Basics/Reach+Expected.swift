package import TestSupport

extension Reach {
    /// Returns the entries that must be counted in `worlds` worlds.
    package static func expected(of worlds: UInt64) -> [String] {
        (worlds >= fewest ? usual : []) + (worlds >= 1_000 ? rare : [])
    }

    /// The least number of worlds that are expected to have any entries.
    package static let fewest: UInt64 = 100

    /// The largest share, in percent, of laptops' own actions that may go unchecked against the rules.
    package static let mostSkipped = 20

    /// Entries that at least about one world in eight has. The probability that a hundred worlds all lack
    /// such an entry is less than one in half a million.
    package static let usual = [
        "day worked across the end of one of 24 hours", "event adjust", "event adopt", "event amend",
        "event device", "event label", "event pause", "event record", "event resume", "event retime",
        "event set", "event skip", "event split", "event start", "event stop", "event undo", "message ack",
        "message bye", "message createInvite", "message done", "message enrol", "message enrolled",
        "message epoch", "message error", "message greeting", "message have", "message hello",
        "message ping", "message pong", "message presence", "message push", "message revoke",
        "message revoked", "message roster", "message successor", "message upload", "message want",
        "message welcome", "notice adopted", "notice cloned", "notice clockNotSure", "notice joined",
        "notice keyChanged", "notice returned",
        "notice setAnew", "notice stopped", "notice stoppedOwn", "notice tookBack",
        "operating announced key", "operating backup", "operating changed key", "operating deleted group",
        "operating lifted quota", "operating quota", "operating rename", "operating restored backup",
        "phase completed longBreak", "phase completed shortBreak", "phase completed work",
        "phase skipped shortBreak", "phase skipped work", "phase stopped longBreak",
        "phase stopped shortBreak", "phase stopped work", "press add", "press addTime", "press label",
        "press nameDevice", "press pause", "press redo", "press relabel", "press remove", "press resume",
        "press retime", "press set", "press skip", "press split", "press start", "press stop",
        "press toggle", "press undo", "problem alreadyPaused", "problem alreadyRunning", "problem futureEnd",
        "problem isPaused", "problem needsConsent", "problem noEffect", "problem nothingRuns",
        "problem nothingToRedo", "problem nothingToUndo", "refusal clock_not_sure", "refusal gap",
        "refusal revoked", "refusal shutting_down", "refusal unknown_device", "round upload 2",
        "round upload 3",
        "rule adopt: a side run", "rule press: by another device, ends 'started offline'",
        "rule press: its `at` is before the run's anchor", "rule press: on a side run",
        "rule press: on no open run", "rule press: on the current run",
        "rule press: the run's state doesn't allow it", "rule record: added", "rule set: nothing is current",
        "rule set: the current run is advanced", "rule set: the value in force already",
        "rule start: becomes a side run", "rule start: closes the current run, which its `after` names",
        "rule start: its `at` is before the latest effective instant (A)", "rule start: nothing is current",
        "rule start: replaces a paused current run", "rule start: the current run has closed by itself",
        "rule §5 1: a side run is adopted", "rule §5 1: a side run is stopped",
        "rule §5 1: a side run's label goes to the current run", "rule §5 2: a press was overtaken",
        "rule §5 2: pending pause, since then label", "rule §5 2: pending pause, since then pause",
        "rule §5 2: pending pause, since then resume", "rule §5 2: pending resume, since then pause",
        "rule §5 4: a setting is set again", "rule §5 4: another's setting stands",
        "setting autoStartBreaks", "setting autoStartWork", "setting dailyFocus", "setting dailyGoal",
        "setting daysOff", "setting idleLimit", "setting longBreakFrequency", "setting longBreakLength",
        "setting overtime", "setting shortBreakLength", "setting weeklyFocus", "setting weeklyGoal",
        "setting workLength",
        "sharing a laptop went to another server", "sharing a number passed over",
        "sharing a number that was filled", "sharing an answer lost", "sharing news without a notice",
        "sharing out of reach", "sharing read as somebody came", "sharing stored by another server",
        "sharing taken for gone",
        "sharing went on after it stood still",
        "version laptop with later protocol", "version laptop without the protocol",
    ]

    /// Entries that at least one world in forty has. The probability that a thousand worlds all lack such an
    /// entry is smaller still.
    package static let rare = [
        "day worked across the end of one of 23 hours", "day worked across the end of one of 25 hours",
        "event profile", "event readmit", "event revoke", "event unknown", "message chains",
        "message chainsAsked", "message keepEpoch",
        "message refused", "notice badEpochs", "notice branchMoved", "notice clockJumped", "notice closed",
        "notice damaged", "notice kept", "notice keyUnchanged", "notice latecomers", "notice newcomers",
        "notice paused",
        "notice putBack", "notice reauthored", "notice woke", "operating cancelled key",
        "phase skipped longBreak", "problem store", "problem timeOutOfRange", "refusal busy",
        "refusal clock_ahead",
        "refusal group_full", "refusal internal", "refusal malformed", "refusal no_room",
        "refusal not_allowed",
        "refusal parted", "refusal quota", "refusal rate", "refusal silence", "refusal unknown",
        "refusal unknown_epoch",
        "refusal version", "returning adjust", "returning adopt", "returning amend", "returning pause",
        "returning record",
        "returning set", "returning start", "returning stop", "returning undo", "round chains asked 2",
        "round chains asked 3",
        "round push 2", "round push 3", "round read before it is acknowledged",
        "rule adopt: another run is current", "rule asleep: on returning", "rule asleep: others have pressed",
        "rule asleep: work is paused as of the sleep's beginning", "rule press: the run has closed by itself",
        "rule profile: changes a setting", "rule set: the current run has closed",
        "rule start: replaces a current run that began offline",
        "rule §5 1: an abandoned current run is stopped", "rule §5 2: pending pause, since then adjust",
        "rule §5 2: pending pause, since then skip", "rule §5 2: pending pause, since then stop",
        "rule §5 2: pending resume, since then adjust", "rule §5 2: pending resume, since then label",
        "rule §5 2: pending resume, since then resume", "rule §5 2: pending resume, since then skip",
        "rule §5 2: pending resume, since then stop", "rule §5 2: pending skip, since then adjust",
        "rule §5 2: pending skip, since then label", "rule §5 2: pending skip, since then pause",
        "rule §5 2: pending skip, since then resume", "rule §5 2: pending skip, since then skip",
        "rule §5 2: pending skip, since then stop", "rule §5 2: pending stop, since then adjust",
        "rule §5 2: pending stop, since then label", "rule §5 2: pending stop, since then pause",
        "rule §5 2: pending stop, since then resume", "rule §5 2: pending stop, since then skip",
        "rule §5 2: pending stop, since then stop", "rule §5 3: another pressed after the undo",
        "rule §5 6: a phase with corrected times isn't missing", "rule §5 6: a shown phase is kept",
        "rule §5 6: a shown phase is kept only until others pressed",
        "rule §5 note: pressed since, so its phase isn't in progress any more", "sharing a commit kept late",
        "sharing a commit undone late", "sharing stored without an answer, and found",
        "sharing older memory of heads",
        "sharing turns that failed together",
        "waking decided in time",
    ]

    /// The branches of the timer rules that fewer worlds reach. Random logs reach the branches of §4
    /// (NaiveRuleTests) and some branches of §5 (NaiveReturningTests). Each of the others has tests
    /// of its own (KeptWorkTests, ShownWorkTests, WakingTests, SleepTests, ReturningTests, WeekTests).
    package static let seldom: Set<NaiveRule> = [
        .startOutOfRange, .pressOnWaiting, .pressInOvertime, .profileSaved, .profileRemoved, .profileSame,
        .profileInvalid,
        .startAfterTakenBack, .adoptAfterClosing, .adoptCurrent, .adoptClosed, .setOutOfRange, .recordAgain,
        .recordInvalid, .settingUndone, .decidedBefore, .continues, .continuesAfterClosing, .continuesInBreak,
        .continuesWithLength, .continuesWithPauses, .continuedDisplaced, .keptInParts, .keptCompleted,
        .removedStaysOut,
        .writtenAgain, .noteTogether, .noteEnded, .noteTakenBack, .noteAsleep, .noteSlept, .asleepBreak,
        .asleepNothing,
        .asleepConnected, .asleepSeen, .asleepDecidedHere, .asleepTakenBack, .asleepStays,
        .asleepTakenBackBefore, .asleepByPress, .asleepBeforePress, .asleepPressIsPause, .asleepStopped,
        .asleepInNoGroup, .asleepUnasked,
    ]
}
