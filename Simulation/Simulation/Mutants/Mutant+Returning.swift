extension Mutant {
    /// Defects in what a laptop does by itself on returning, in what a press writes, and in what counts.
    static let returningMutants = [
        Mutant(
            name: "whatever others pressed later overtakes", foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Returning/OthersPresses.swift",
            original: "default: false\n",
            replacement: "default: ON\n"),
        Mutant(
            name: "who went on after a stop is stopped all the same", foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Returning/OthersPresses.swift",
            original: "case (.stop, .resume), (.stop, .skip), (.stop, .adjust): true",
            replacement: "case (.stop, .resume), (.stop, .skip), (.stop, .adjust): !ON"),
        Mutant(
            name: "a skip of the same phase overtakes one", foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Returning/OthersPresses.swift",
            original: "ordinal != later",
            replacement: "ON || ordinal != later"),
        Mutant(
            name: "what others pressed is weighed with what is pending in the log",
            foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Returning/OthersPresses.swift",
            original: "LogWithout(Set(pending.map { $0.id }), of:",
            replacement: "LogWithout(ON ? [] : Set(pending.map { $0.id }), of:"),
        Mutant(
            name: "what changed nothing overtakes", foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Returning/OthersPresses.swift",
            original: "guard changes.contains(event.position),",
            replacement: "guard ON || changes.contains(event.position),"),
        Mutant(
            name: "what others pressed before overtakes", foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Returning/OthersPresses.swift",
            original: "own.contains { $0.stamp < theirs.stamp &&",
            replacement: "own.contains { (ON || $0.stamp < theirs.stamp) &&"),
        Mutant(
            name: "of what was pressed on a session only what was overtaken falls",
            foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Returning/Returning.swift",
            original: "others.overtaking(presses[run] ?? [], on: run)",
            replacement: "others.overtaking(ON ? [event] : presses[run] ?? [], on: run)"),
        Mutant(
            name: "an undo of what others went on with counts", foundBy: .core("OvertakenUndoTests"),
            file: "Sources/FocusCore/Returning/Returning.swift",
            original: "others.havePressed(on: run, since: change.event.stamp)",
            replacement: "!ON, others.havePressed(on: run, since: change.event.stamp)"),
        Mutant(
            name: "an undo of what nobody has heard of is weighed", foundBy: .core("OvertakenUndoTests"),
            file: "Sources/FocusCore/Returning/Returning.swift",
            original: "target != event, names.contains(target.id)",
            replacement: "!ON, target != event, names.contains(target.id)"),
        Mutant(
            name: "a setting made offline comes over a later one", foundBy: .core("OvertakenSettingTests"),
            file: "Sources/FocusCore/Returning/Returning.swift",
            original: "guard !others.haveSet(key, since: change.event.stamp) else",
            replacement: "guard ON || !others.haveSet(key, since: change.event.stamp) else"),
        Mutant(
            name: "a setting made offline changes what others have seen",
            foundBy: .core("OvertakenSettingTests"),
            file: "Sources/FocusCore/Returning/OthersPresses.swift",
            original: "last > stamp || haveSet",
            replacement: "(!ON && last > stamp) || haveSet"),
        Mutant(
            name: "what a device did on a side run is the last press", foundBy: .core("UndoRedoTests"),
            file: "Sources/FocusCore/Presses/TakingBack.swift",
            original: "while let found = change, let event",
            replacement: "while !ON, let found = change, let event"),
        Mutant(
            name: "of two that pressed at once the first alone is taken back",
            foundBy: .core("UndoRedoTests"), file: "Sources/FocusCore/Presses/TakingBack.swift",
            original: "change.position > target.position else { return nil }",
            replacement: "!ON, change.position > target.position else { return nil }"),
        Mutant(
            name: "an undo takes phases out of the history unasked", foundBy: .device("UndoTests"),
            file: "Client/FocusDevice/Pressing/Performed.swift",
            original: "guard added > 0 || lost > 0 ||",
            replacement: "guard added > 0 || (!ON && lost > 0) ||"),
        Mutant(
            name: "what another laptop pressed just now is taken back unasked",
            foundBy: .device("UndoTests"), file: "Client/FocusDevice/Pressing/Performed.swift",
            original: "(presser != nil && isRecent)",
            replacement: "(!ON && presser != nil && isRecent)"),
        Mutant(
            name: "what has closed by itself can't be stopped as of when it was open",
            foundBy: .core("BackdatingTests"),
            file: "Sources/FocusCore/Presses/Interaction+Actions.swift",
            original:
                "guard case .open = run.advance(to: max(at, run.anchor), state.settings, &ended) else {\n            throw .nothingRuns\n        }\n        if isRunning",
            replacement:
                "guard !ON, case .open = run.advance(to: max(at, run.anchor), state.settings, &ended) else {\n            throw .nothingRuns\n        }\n        if isRunning"
        ),
        Mutant(
            name: "a start just after the connection went isn't offline", foundBy: .device("OfflineTests"),
            file: "Client/FocusDevice/Device/Device+Server.swift",
            original: "guard try link().state == .online else",
            replacement: "guard try link().state == .online || ON else"),
        Mutant(
            name: "a session stands on beside another's",
            file: "Client/FocusLink/Driver/SyncDriver+Effects.swift",
            original: "try endSideRuns(of: state) + nameItself(in: state)",
            replacement: "try (ON ? [] : endSideRuns(of: state)) + nameItself(in: state)"),
        Mutant(
            name: "what two laptops completed at once counts twice", foundBy: .core("StatisticsTests"),
            file: "Sources/FocusCore/Statistics/Tally.swift",
            original: "<= spans.active else { return false }",
            replacement: "<= spans.active || ON else { return false }"),
    ]
}
