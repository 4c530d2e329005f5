extension Mutant {
    /// Defects in what keeps what people did: side runs, what was shown, a press on waking, and what is said of late ones.
    static let keptMutants = [
        Mutant(
            name: "a session that somebody is at gives way", foundBy: .core("SideRunTests"),
            file: "Sources/FocusCore/Returning/Returning.swift",
            original: "guard own.contains(event.id.replica) else { return nil }",
            replacement: "guard ON || own.contains(event.id.replica) else { return nil }"),
        Mutant(
            name: "a session that was brought back is ended again", foundBy: .core("SideRunTests"),
            file: "Sources/FocusCore/Returning/Returning.swift",
            original: "try !hasStopped(current.id, log, own)",
            replacement: "try !hasStopped(current.id, log, own) || ON"),
        Mutant(
            name: "a label typed in the same moment is lost", foundBy: .core("SideRunTests"),
            file: "Sources/FocusCore/Returning/Returning.swift",
            original: "if current.label.isEmpty, !side.label.isEmpty {",
            replacement: "if !ON, current.label.isEmpty, !side.label.isEmpty {"),
        Mutant(
            name: "a machine that nobody is at has a say", foundBy: .core("KeptWorkTests"),
            file: "Sources/FocusCore/Returning/ShownWork+Presence.swift",
            original: "if !own.contains(event.id.replica), event.action.isPress {",
            replacement: "if !ON, !own.contains(event.id.replica), event.action.isPress {"),
        Mutant(
            name: "what the history has is kept again", foundBy: .core("KeptWorkTests"),
            file: "Sources/FocusCore/Returning/KeptWork.swift",
            original: "for covered in intervals where covered.to > from",
            replacement: "for covered in intervals where !ON && covered.to > from"),
        Mutant(
            name: "a phase that is kept in parts counts as often", foundBy: .core("KeptWorkTests"),
            file: "Sources/FocusCore/Returning/KeptWork.swift",
            original: "isCompleted && place == longest",
            replacement: "isCompleted && (ON || place == longest)"),
        Mutant(
            name: "a setting that came too late changes the phases it made", foundBy: .core("KeptWorkTests"),
            file: "Sources/FocusCore/Returning/KeptWork.swift",
            original: "if hasLostSetting {",
            replacement: "if hasLostSetting, !ON {"),
        Mutant(
            name: "a redo leaves the records of what it brings back", foundBy: .core("KeptWorkTests"),
            file: "Sources/FocusCore/Returning/KeptWork.swift",
            original: "guard keepsWork else { return [] }",
            replacement: "guard keepsWork, !ON else { return [] }"),
        Mutant(
            name: "who is in the middle of a phase is thrown out of it", foundBy: .core("KeptWorkTests"),
            file: "Sources/FocusCore/Returning/GoingOn.swift",
            original: "present.isPaused ? run.isOfAnotherLog : present.endsAt > now,",
            replacement: "!ON, present.isPaused ? run.isOfAnotherLog : present.endsAt > now,"),
        Mutant(
            name: "what goes on begins where it is noticed", foundBy: .core("NaiveReturningTests"),
            file: "Sources/FocusCore/Returning/GoingOn.swift",
            original: "at: max(first.from, earliest)",
            replacement: "at: ON ? nil : max(first.from, earliest)"),
        Mutant(
            name: "what goes on reaches behind a session that has closed", foundBy: .core("KeptWorkTests"),
            file: "Sources/FocusCore/Returning/GoingOn.swift",
            original: "earliest = closing",
            replacement: "earliest = ON ? .zero : closing"),
        Mutant(
            name: "what was taken out of the history comes back", foundBy: .core("KeptWorkTests"),
            file: "Sources/FocusCore/Returning/KeptWork.swift",
            original: "where !removed.contains(phase.name)",
            replacement: "where (ON || !removed.contains(phase.name))"),
        Mutant(
            name: "what was taken back since is kept", foundBy: .core("KeptWorkTests"),
            file: "Sources/FocusCore/Returning/ShownWork+Presence.swift",
            original: "if case .undo = event.action { return",
            replacement: "if !ON, case .undo = event.action { return"),
        Mutant(
            name: "what an earlier attempt has noted is forgotten", foundBy: .core("KeptWorkTests"),
            file: "Sources/FocusCore/Returning/ShownWork.swift",
            original: "guard let later else { return self }",
            replacement: "guard let later, !ON else { return later ?? self }"),
        Mutant(
            name: "what was shown isn't noted", foundBy: .story("ReturningTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Returning.swift",
            original: "guard !pending.isEmpty else { return }",
            replacement: "guard !pending.isEmpty, !ON else { return }"),
        Mutant(
            name: "joining ends the session that one is in", foundBy: .link("JoiningTests"),
            file: "Client/FocusLink/Joining/Joining.swift",
            original: "if let inProgress = carried?.inProgress { try store.setShownWork(inProgress) }",
            replacement: "if let inProgress = carried?.inProgress, !ON { try store.setShownWork(inProgress) }"
        ),
        Mutant(
            name: "a press on waking counts the night", foundBy: .device("PressOnWakingTests"),
            file: "Client/FocusDevice/Pressing/Device+Perform.swift",
            original: "guard let first = undecided.first, interactions",
            replacement: "guard !ON, let first = undecided.first, interactions"),
        Mutant(
            name: "a press of before the sleep is on what was paused", foundBy: .device("PressOnWakingTests"),
            file: "Client/FocusDevice/Pressing/Device+Perform.swift",
            original: "context.ago == .zero || context.now",
            replacement: "ON || context.ago == .zero || context.now"),
        Mutant(
            name: "the undo of a late stop is asked about", foundBy: .device("UndoTests"),
            file: "Client/FocusDevice/Pressing/Device+Perform.swift",
            original: "try device.store.latePress() != id",
            replacement: "try device.store.latePress() != id || ON"),
        Mutant(
            name: "what a late stop took away isn't said", foundBy: .core("LatePressTests"),
            file: "Sources/FocusCore/Happenings/LatePress.swift",
            original: "guard !left.isEmpty else",
            replacement: "guard !left.isEmpty, !ON else"),
        Mutant(
            name: "the first undo takes back what the log begins with", foundBy: .device("UndoTests"),
            file: "Sources/FocusCore/Replay/Settings.swift",
            original: "guard lastRun == nil, let change",
            replacement: "guard !ON, lastRun == nil, let change"),
        Mutant(
            name: "a log begins with the limit that old ones have", foundBy: .device("DeviceTests"),
            file: "Client/FocusDevice/Pressing/Device+Perform.swift",
            original: "if isFirst, try store.group() == nil",
            replacement: "if isFirst, !ON, try store.group() == nil"),
        Mutant(
            name: "a press on the screen is on what has just come there", foundBy: .core("SeenTimerTests"),
            file: "Sources/FocusCore/Presses/Interaction.swift",
            original: "shown == present && age.map",
            replacement: "shown == present && (ON ? nil : age).map"),
    ]
}
