extension Mutant {
    /// Defects in what a laptop does by itself on returning.
    static let returningMutants = [
        Mutant(
            name: "whatever others pressed later overtakes", foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Presses/OthersPresses.swift",
            original: "default: false\n",
            replacement: "default: ON\n"),
        Mutant(
            name: "who went on after a stop is stopped all the same", foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Presses/OthersPresses.swift",
            original: "case (.stop, .resume), (.stop, .skip), (.stop, .adjust): true",
            replacement: "case (.stop, .resume), (.stop, .skip), (.stop, .adjust): !ON"),
        Mutant(
            name: "a skip of the same phase overtakes one", foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Presses/OthersPresses.swift",
            original: "ordinal != later",
            replacement: "ON || ordinal != later"),
        Mutant(
            name: "what others pressed is weighed with what is pending in the log",
            foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Presses/OthersPresses.swift",
            original: "LogWithout(Set(pending.map(\\.id)), of:",
            replacement: "LogWithout(ON ? [] : Set(pending.map(\\.id)), of:"),
        Mutant(
            name: "what changed nothing overtakes", foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Presses/OthersPresses.swift",
            original: "guard changes.contains(event.position),",
            replacement: "guard ON || changes.contains(event.position),"),
        Mutant(
            name: "what others pressed before overtakes", foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Presses/OthersPresses.swift",
            original: "own.contains { $0.stamp < theirs.stamp &&",
            replacement: "own.contains { (ON || $0.stamp < theirs.stamp) &&"),
        Mutant(
            name: "of what was pressed on a session only what was overtaken falls",
            foundBy: .core("OvertakenTests"),
            file: "Sources/FocusCore/Presses/Returning.swift",
            original: "others.overtaking(presses[run] ?? [], on: run)",
            replacement: "others.overtaking(ON ? [event] : presses[run] ?? [], on: run)"),
        Mutant(
            name: "an undo of what others went on with counts", foundBy: .core("OvertakenUndoTests"),
            file: "Sources/FocusCore/Presses/Returning.swift",
            original: "others.havePressed(on: run, since: change.event.stamp)",
            replacement: "!ON, others.havePressed(on: run, since: change.event.stamp)"),
        Mutant(
            name: "an undo of what nobody has heard of is weighed", foundBy: .core("OvertakenUndoTests"),
            file: "Sources/FocusCore/Presses/Returning.swift",
            original: "target != event, names.contains(target.id)",
            replacement: "!ON, target != event, names.contains(target.id)"),
        Mutant(
            name: "a setting made offline comes over a later one", foundBy: .core("OvertakenSettingTests"),
            file: "Sources/FocusCore/Presses/Returning.swift",
            original: "guard !others.haveSet(key, since: change.event.stamp) else",
            replacement: "guard ON || !others.haveSet(key, since: change.event.stamp) else"),
        Mutant(
            name: "a setting made offline changes what others have seen",
            foundBy: .core("OvertakenSettingTests"),
            file: "Sources/FocusCore/Presses/OthersPresses.swift",
            original: "last > stamp || haveSet",
            replacement: "(!ON && last > stamp) || haveSet"),
    ]
}
