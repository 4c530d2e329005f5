/// The branches of the timer rules (docs/timer-rules.md §4 and §5). Tests check that random logs reach each
/// of them.
package enum NaiveRule: String, CaseIterable, Sendable {
    // §4, start.
    case startAlone = "start: nothing is current"
    case startAfterClosing = "start: what was current has closed"
    case startAnew = "start: anew, after what its author knew of"
    case startBeforeOffline = "start: before what began offline"
    case startBeforePaused = "start: before what is paused"
    case startBeside = "start: beside what goes on"
    case startAfterTakenBack = "start: after one that was taken back"
    case startAtLatest = "start: no further back than A"

    // §4, presses.
    case pressOnNone = "press: on no open run"
    case pressOnClosed = "press: the look finds the run closed"
    case pressInVain = "press: it can't act"
    case pressOnCurrent = "press: on the current run"
    case pressOnSide = "press: on a side run"
    case pressAtAnchor = "press: no further back than the anchor"
    case pressOfAnother = "press: what began offline is no longer"

    // §4, adopt and set.
    case adoptSide = "adopt: a side run"
    case adoptAfterClosing = "adopt: what was current has closed"
    case adoptBeside = "adopt: another run is current"
    case adoptCurrent = "adopt: the current run"
    case adoptClosed = "adopt: a run that has closed"
    case setOutOfRange = "set: of no key, or out of its range"
    case setSame = "set: to what holds"
    case setAlone = "set: nothing is current"
    case setMoves = "set: the current run is advanced"
    case setCloses = "set: the current run has closed"

    // §4, record.
    case recordAdded = "record: added"
    case recordAgain = "record: of a source that there is"
    case recordOfNothing = "record: that says nothing"

    // §5, 1.
    case sideRunStopped = "§5 1: a side run is stopped"
    case sideRunAdopted = "§5 1: a side run is adopted"
    case abandonedStopped = "§5 1: the session that nobody is at is stopped"
    case momentLabelled = "§5 1: what was typed in one moment labels the session"

    // §5, 2 to 4.
    case pressOvertaken = "§5 2: a press was overtaken"
    case undoOvertaken = "§5 3: an undo was gone on after"
    case decidedBefore = "§5 2 to 4: an undo that it wrote on returning stays"
    case settingAnew = "§5 4: a setting is set anew"
    case settingStands = "§5 4: another's setting stands"
    case settingUndone = "§5 4: the undo of a setting is set anew"

    // §5, 5.
    case goesOn = "§5 5: a phase goes on"
    case goesOnAfterClosing = "§5 5: no earlier than the last session's end"
    case goesOnInBreak = "§5 5: a break goes on"
    case goesOnWithLength = "§5 5: with a length of its own"
    case goesOnWithPauses = "§5 5: with its pauses"

    // §5, 6.
    case kept = "§5 6: what was shown is kept"
    case keptInParts = "§5 6: in parts"
    case keptCompleted = "§5 6: as a completed phase"
    case keptUntilOthers = "§5 6: until others pressed"
    case removedStaysOut = "§5 6: what was taken out stays out"
    case correctedIsThere = "§5 6: what was given other times is there"
    case writtenAnew = "§5 6: phases of a setting that came too late are written anew"

    // §5, "What was shown".
    case noteTogether = "§5 note: of several attempts"
    case pressedSinceNoted = "§5 note: nobody is in the middle of it any more"
    case noteEnded = "§5 note: ended by what is said to have been before"
    case noteTakenBack = "§5 note: gone with an undo"
    case noteAsleep = "§5 note: of when the machine fell asleep"
    case noteSlept = "§5 note: the machine has slept since"

    // §5, "Time asleep".
    case asleepPaused = "asleep: work is paused as of then"
    case asleepBreak = "asleep: a break goes on, and what comes after it waits"
    case asleepNothing = "asleep: nothing runs any more that could be paused"
    case asleepPressed = "asleep: others have pressed"
    case asleepConnected = "asleep: another was connected"
    case asleepSeen = "asleep: another was seen"
    case asleepDecidedHere = "asleep: somebody has pressed here since"
    case asleepTakenBack = "asleep: the pause is taken back, as others were there"
    case asleepStays = "asleep: the pause stays"
    case asleepTakenBackBefore = "asleep: the pause was taken back before"
    case asleepByPress = "asleep: a press decides"
    case asleepBeforePress = "asleep: a press is of before, and decides nothing"
    case asleepPressIsPause = "asleep: the press is the pause"
    case asleepStopped = "asleep: what seemed to have closed is stopped as of then"
    case asleepAlone = "asleep: without a group"
    case asleepUnasked = "asleep: without the server"
    case asleepOnReturning = "asleep: on returning"
}
