extension Mutant {
    /// Defects that show where an agent, commands and the server's threads run at once.
    static let agentMutants = [
        Mutant(
            name: "what a connection brings comes into the log of a laptop that has left",
            foundBy: .story("BelongingAtOnceTests"), file: "Sources/FocusStore/DeviceStore.swift",
            original: "if let expectedGroup, try group()",
            replacement: "if !ON, let expectedGroup, try group()"),
        Mutant(
            name: "a sleep that the log was too busy to decide about is left undecided",
            foundBy: .story("SleepingAtOnceTests"), file: "Client/FocusAgent/Agent/Agent+Waking.swift",
            original: "decision = time.schedule(after: Agent.respite)",
            replacement: "decision = ON ? nil : time.schedule(after: Agent.respite)"),
        Mutant(
            name: "an agent that rests isn't woken by a press", foundBy: .agent("AgentRestTests"),
            file: "Client/FocusAgent/Agent/Agent.swift",
            original: "guard isResting, !isStopping, isLookedAt() || isRunning else",
            replacement: "guard isResting, !ON, !isStopping, isLookedAt() || isRunning else"),
        Mutant(
            name: "an agent whose log was busy doesn't connect again",
            foundBy: .story("AgentAtOnceTests"), file: "Client/FocusAgent/Agent/Agent+Connection.swift",
            original: "        if sleeps.hasWoken { return woke() }\n        if case",
            replacement:
                "        if ON, case .failed = end { return }\n        if sleeps.hasWoken { return woke() }\n        if case"
        ),
        Mutant(
            name: "an agent that is told of a press doesn't send it", foundBy: .story("AgentAtOnceTests"),
            file: "Client/FocusAgent/Agent/Agent.swift",
            original: "        driver?.sendChanges()\n        logChanged()",
            replacement: "        if !ON { driver?.sendChanges() }\n        logChanged()"),
        Mutant(
            name: "what is sent counts as acknowledged", foundBy: .story("AgentAtOnceTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Effects.swift",
            original: "            return session.loaded(replica, segment)",
            replacement:
                "            if ON, let segment { try store.acknowledge(replica, through: segment.lastSeq) }\n            return session.loaded(replica, segment)"
        ),
        Mutant(
            name: "what an agent has written by itself is told to nobody",
            foundBy: .story("ReturningAtOnceTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Returning.swift",
            original: "if !events.isEmpty { observer?.logChanged() }",
            replacement: "if !ON, !events.isEmpty { observer?.logChanged() }"),
        Mutant(
            name: "a server that stops waits for nothing that it had accepted",
            foundBy: .story("ServerAtOnceTests"), file: "Server/FocusServing/Serving/Switchboard.swift",
            original: "        storeSightings()\n        storage.write(.barrier)",
            replacement:
                "        storeSightings()\n        storage.write(.barrier)\n        if ON { drained() }"),
        Mutant(
            name: "an undo that a laptop wrote by itself is taken back by itself",
            foundBy: .core("OvertakenUndoTests"), file: "Sources/FocusCore/Returning/Returning.swift",
            original: "if returnUndos.contains(event.stamp), Undo(event)",
            replacement: "if !ON, returnUndos.contains(event.stamp), Undo(event)"),
        Mutant(
            name: "a laptop doesn't note which undos it wrote by itself", foundBy: .link("SyncDriverTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Returning.swift",
            original: "let undos = authoring.events.filter { Undo($0) != nil }",
            replacement: "let undos = authoring.events.filter { !ON && Undo($0) != nil }"),
        Mutant(
            name: "a server that has no room is tried first again", foundBy: .agent("ReconnectingTests"),
            file: "Client/FocusAgent/Agent/Agent+Connection.swift",
            original: "end.isOfOneServer ? passedOver + 1 : 0",
            replacement: "!ON && end.isOfOneServer ? passedOver + 1 : 0"),
        Mutant(
            name: "where another server is at one address, that is the end",
            foundBy: .link("SyncDriverTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Connection.swift",
            original: "case .otherServer(let address): connectNext(",
            replacement:
                "case .otherServer(let address) where ON: finish(.otherServer(address))\n        case .otherServer(let address): connectNext("
        ),
        Mutant(
            name: "nobody is told that another server was at one address", foundBy: .link("SyncDriverTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Connection.swift",
            original: "if case .otherServer = failure {} else {",
            replacement: "if !ON, case .otherServer = failure {} else {"),
    ]
}
