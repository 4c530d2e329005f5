/// The branches of the timer rules (docs/timer-rules.md §4 and §5). Tests check that random logs reach each
/// of them.
package enum NaiveRule: String, CaseIterable, Sendable {
    // §4, start.
    case startOutOfRange = "start: its length or its beginning is out of range"
    case startWithoutCurrent = "start: nothing is current"
    case startAfterClosing = "start: the current run has closed by itself"
    case startClosesCurrent = "start: closes the current run, which its `after` names"
    case startBeforeOffline = "start: replaces a current run that began offline"
    case startBeforePaused = "start: replaces a paused current run"
    case startBeside = "start: becomes a side run"
    case startAfterTakenBack = "start: its `after` names a start that was taken back"
    case startAtLatest = "start: its `at` is before the latest effective instant (A)"

    // §4, presses.
    case pressOnNone = "press: on no open run"
    case pressOnClosed = "press: the run has closed by itself"
    case pressInVain = "press: the run's state doesn't allow it"
    case pressOnWaiting = "press: the run is waiting to begin"
    case pressOnCurrent = "press: on the current run"
    case pressOnSide = "press: on a side run"
    case pressAtAnchor = "press: its `at` is before the run's anchor"
    case pressInOvertime = "press: in overtime"
    case pressByOther = "press: by another device, ends 'started offline'"

    // §4, adopt and set.
    case adoptSide = "adopt: a side run"
    case adoptAfterClosing = "adopt: the current run has closed by itself"
    case adoptBeside = "adopt: another run is current"
    case adoptCurrent = "adopt: the current run"
    case adoptClosed = "adopt: the adopted run has closed by itself"
    case setOutOfRange = "set: unknown key, or value out of range"
    case setSame = "set: the value in force already"
    case setWithoutCurrent = "set: nothing is current"
    case setMoves = "set: the current run is advanced"
    case setCloses = "set: the current run has closed"

    // §4, profile.
    case profileUsed = "profile: changes a setting"
    case profileSaved = "profile: saved with the values in force"
    case profileRemoved = "profile: removed"
    case profileSame = "profile: changes nothing"
    case profileInvalid = "profile: an invalid name or value"

    // §4, record.
    case recordAdded = "record: added"
    case recordAgain = "record: its source exists already"
    case recordInvalid = "record: invalid times, names or source"

    // §5, 1.
    case sideRunStopped = "§5 1: a side run is stopped"
    case sideRunAdopted = "§5 1: a side run is adopted"
    case abandonedStopped = "§5 1: an abandoned current run is stopped"
    case sideRunLabelCopied = "§5 1: a side run's label goes to the current run"

    // §5, 2 to 4.
    case pressOvertaken = "§5 2: a press was overtaken"
    case undoOvertaken = "§5 3: another pressed after the undo"
    case decidedBefore = "§5 2 to 4: an undo from an earlier return stays"
    case settingAgain = "§5 4: a setting is set again"
    case settingStands = "§5 4: another's setting stands"
    case settingUndone = "§5 4: the value that an undo restored is set again"

    // §5, 5.
    case continues = "§5 5: a phase goes on"
    case continuesAfterClosing = "§5 5: a phase goes on, but only from the last session's end"
    case continuesInBreak = "§5 5: a break goes on"
    case continuesWithLength = "§5 5: a phase goes on with a length of its own"
    case continuesWithPauses = "§5 5: a phase goes on with its pauses"

    case continuedDisplaced = "§5 5: others displaced work of a phase that goes on"

    // §5, 6.
    case kept = "§5 6: a shown phase is kept"
    case keptInParts = "§5 6: a shown phase is kept in parts"
    case keptCompleted = "§5 6: a shown phase is kept as a completed one"
    case keptUntilOthers = "§5 6: a shown phase is kept only until others pressed"
    case removedStaysOut = "§5 6: a removed phase stays removed"
    case correctedIsThere = "§5 6: a phase with corrected times isn't missing"
    case writtenAgain = "§5 6: phases that a late setting changed are written again"

    // §5, "What was shown".
    case noteTogether = "§5 note: several connection attempts added to it"
    case pressedSinceNoted = "§5 note: pressed since, so its phase isn't in progress any more"
    case noteEnded = "§5 note: ended by a backdated press"
    case noteTakenBack = "§5 note: dropped because of an undo"
    case noteAsleep = "§5 note: made as of when the machine fell asleep"
    case noteSlept = "§5 note: the machine has slept since"

    // §5, "Time asleep".
    case asleepPaused = "asleep: work is paused as of the sleep's beginning"
    case asleepBreak = "asleep: a break ends by itself, and the next phase is paused"
    case asleepNothing = "asleep: nothing runs any more that could be paused"
    case asleepPressed = "asleep: others have pressed"
    case asleepConnected = "asleep: another was connected"
    case asleepSeen = "asleep: another was seen"
    case asleepDecidedHere = "asleep: somebody has pressed here since"
    case asleepTakenBack = "asleep: the pause is taken back, because others were there"
    case asleepStays = "asleep: the pause stays"
    case asleepTakenBackBefore = "asleep: the pause was taken back before"
    case asleepByPress = "asleep: a press decides"
    case asleepBeforePress = "asleep: a press backdated to before the sleep decides nothing"
    case asleepPressIsPause = "asleep: a pressed pause is the pause of the sleep"
    case asleepStopped = "asleep: a run that seemed to have closed is stopped as of the sleep"
    case asleepInNoGroup = "asleep: decided in no group"
    case asleepUnasked = "asleep: decided without asking the server"
    case asleepOnReturning = "asleep: on returning"
}
