extension Mutant {
    /// Defects in what becomes of time asleep, of notes that were cut short, and in what is said of all that.
    static let wakingMutants = [
        Mutant(
            name: "time asleep is paused though others were there",
            file: "Client/FocusDevice/Waking/Waking.swift",
            original: "case nil: wereOthersThere || presses.here ? .leave : .pause",
            replacement: "case nil: (wereOthersThere && !ON) || presses.here ? .leave : .pause"),
        Mutant(
            name: "the pause of a sleep stays though others were there",
            file: "Client/FocusDevice/Waking/Waking.swift",
            original: "case _?: wereOthersThere ? .takeBack : .leave",
            replacement: "case _?: wereOthersThere && !ON ? .takeBack : .leave"),
        Mutant(
            name: "who left together with it was there",
            file: "Client/FocusDevice/Waking/Waking.swift",
            original: "isConnected || lastSeen - Sleep.grace > sleep.from",
            replacement: "isConnected || lastSeen - (ON ? .zero : Sleep.grace) > sleep.from"),
        Mutant(
            name: "a break that is slept through is paused", file: "Sources/FocusCore/Presses/Sleep.swift",
            original: "if run.phase.activity.isBreak, case .running(_, let endsAt) = run.clock {",
            replacement: "if !ON, run.phase.activity.isBreak, case .running(_, let endsAt) = run.clock {"),
        Mutant(
            name: "who slept waits for its server for ever",
            file: "Client/FocusAgent/Agent/Agent+Waking.swift",
            original: "guard !isConnected else { return awaitDecision() }",
            replacement: "guard !isConnected, !ON else { return awaitDecision() }"),
        Mutant(
            name: "what an attempt that was cut short has noted is lost",
            file: "Client/FocusLink/Driver/SyncDriver+Returning.swift",
            original: "try store.setShownWork(earlier?.adding(shown) ?? shown)",
            replacement: "try store.setShownWork(ON ? shown : earlier?.adding(shown) ?? shown)"),
        Mutant(
            name: "what a laptop did by itself on returning isn't said",
            file: "Client/FocusLink/Driver/SyncDriver+Returning.swift",
            original: "return (overtaken.deeds + beside.deeds + kept, woken)",
            replacement: "return (ON ? [] : overtaken.deeds + beside.deeds + kept, woken)"),
        Mutant(
            name: "what a laptop did about time asleep is said twice",
            file: "Client/FocusAgent/Agent/Agent+Waking.swift",
            original: "for deed in decision.deeds { record(.woke(deed)) }",
            replacement:
                "for deed in ON ? decision.deeds + decision.deeds : decision.deeds { record(.woke(deed)) }"),
    ]
}
