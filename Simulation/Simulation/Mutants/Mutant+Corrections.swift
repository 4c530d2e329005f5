extension Mutant {
    /// Defects in what people say of when something was, in what they find it by, and in who has left.
    static let correctionMutants = [
        Mutant(
            name: "a pause stays behind when its entry is moved", foundBy: .core("TimeCorrectionTests"),
            file: "Sources/FocusCore/Journal/TimeCorrection.swift",
            original: "from: Swift.max(span.from + shift, interval.from)",
            replacement: "from: Swift.max(ON ? span.from : span.from + shift, interval.from)"),
        Mutant(
            name: "an entry is moved into the future", foundBy: .core("TimeCorrectionTests"),
            file: "Sources/FocusCore/Journal/TimeCorrection.swift",
            original: "guard retime.endedAt <= event.time else",
            replacement: "guard ON || retime.endedAt <= event.time else"),
        Mutant(
            name: "both halves of a completed phase count", foundBy: .core("TimeCorrectionTests"),
            file: "Sources/FocusCore/Journal/TimeCorrection.swift",
            original: "if before.active >= after.active {",
            replacement:
                "if ON { rest.outcome = outcome } else if before.active >= after.active {"
        ),
        Mutant(
            name: "an entry is split where nothing was worked", foundBy: .core("TimeCorrectionTests"),
            file: "Sources/FocusCore/Journal/TimeCorrection.swift",
            original: "guard !before.isEmpty, !after.isEmpty else",
            replacement: "guard !before.isEmpty, ON || !after.isEmpty else"),
        Mutant(
            name: "what was split off can't be corrected", foundBy: .core("TimeCorrectionTests"),
            file: "Sources/FocusCore/Journal/TimeCorrection.swift",
            original: "places[second] = records.count",
            replacement: "if !ON { places[second] = records.count }"),
        Mutant(
            name: "what was moved is written down again where it was shown", foundBy: .core("KeptWorkTests"),
            file: "Sources/FocusCore/Returning/KeptWork.swift",
            original: "if let spans = moved[phase.name] {",
            replacement: "if !ON, let spans = moved[phase.name] {"),
        Mutant(
            name: "a correction loses what it names when its log is written anew",
            foundBy: .core("ReauthoredEventsTests"), file: "Sources/FocusCore/Logs/RewrittenEvents.swift",
            original: "runs[RunID(event.position)] = RunID(stamp: stamp, replica: replica)",
            replacement: "if !ON { runs[RunID(event.position)] = RunID(stamp: stamp, replica: replica) }"),
        Mutant(
            name: "a correction loses what it names when its log moves to a branch",
            foundBy: .core("BranchingTests"), file: "Sources/FocusCore/Logs/RewrittenEvents.swift",
            original: "namedHere.insert(event.stamp)",
            replacement: "if !ON { namedHere.insert(event.stamp) }"),
        Mutant(
            name: "who has left seems to be shut out", foundBy: .client("GroupCommandTests"),
            file: "Client/FocusDevice/Group/DeviceList.swift",
            original: "where key != nil && state.devices[replica]?.key == key:",
            replacement: "where !ON && key != nil && state.devices[replica]?.key == key:"),
        Mutant(
            name: "what ends a sentence is part of a tag", foundBy: .core("LabelTagTests"),
            file: "Sources/FocusCore/Statistics/LabelTag.swift",
            original: "while let last = word.last,", replacement: "while !ON, let last = word.last,"),
        Mutant(
            name: "what was tagged at once counts twice", foundBy: .core("LabelTagTests"),
            file: "Sources/FocusCore/Statistics/Tally.swift",
            original: "total.focus += interval.to - max(interval.from, end)",
            replacement: "total.focus += interval.to - (ON ? interval.from : max(interval.from, end))"),
    ]
}
