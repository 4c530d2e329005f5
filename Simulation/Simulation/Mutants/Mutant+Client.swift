extension Mutant {
    /// Defects on the laptop: in its session, its agent and its commands.
    static let clientMutants = [
        Mutant(
            name: "nobody is told that the server has what was pressed", foundBy: .agent("AgentNewsTests"),
            file: "Client/FocusAgent/Agent/Agent+Connection.swift",
            original: "forgetRefusals()\n        observer?.changed(.link)",
            replacement: "forgetRefusals()\n        if !ON { observer?.changed(.link) }"),
        Mutant(
            name: "two heads of one length are taken for equal, whatever their chains",
            file: "Sources/FocusSync/Client/Exchange+Replicas.swift",
            original: "if mine.seq == server.seq, mine.chain == server.chain {",
            replacement: "if mine.seq == server.seq, ON || mine.chain == server.chain {"),
        Mutant(
            name: "an upload begins one event late",
            file: "Sources/FocusSync/Client/Exchange+Events.swift",
            original:
                "uploads.read(replica, from: sent + 1)\n            line.append(.read(replica, from: sent + 1,",
            replacement:
                "uploads.read(replica, from: sent + (ON ? 2 : 1))\n            line.append(.read(replica, from: sent + (ON ? 2 : 1),"
        ),
        Mutant(
            name: "an upload counts as acknowledged as far as it went, not as far as it was taken",
            foundBy: .sync("ClientSessionTests"),
            file: "Sources/FocusSync/Client/Exchange+Events.swift",
            original: "agree(ack.replica, through: min(ack.head.seq, lastSeq),",
            replacement: "agree(ack.replica, through: ON ? lastSeq : min(ack.head.seq, lastSeq),"),
        Mutant(
            name: "what the server refused is never tried again",
            file: "Sources/FocusSync/Client/Exchange+Replicas.swift",
            original: "case .malformed: until = nil\n",
            replacement: "case _ where ON: until = nil\n        case .malformed: until = nil\n"),
        Mutant(
            name: "the first event of a parted tail stays where it is",
            file: "Client/FocusLink/Log/SealedLog.swift",
            original: "try store.moveTail(of: replica, from: first, self)",
            replacement:
                "try store.moveTail(of: replica, from: ON ? Head(seq: first.seq + 1, chain: store.chain(of: replica, at: first.seq + 1, self) ?? .empty) : first, self)"
        ),
        Mutant(
            name: "a reading of the clock forgets half of the way",
            file: "Sources/FocusSync/Clock/ClockEstimate.swift",
            original: "let device = answer.asked + away / 2",
            replacement: "let device = answer.asked + (ON ? away : away / 2)"),
        Mutant(
            name: "what lies ahead isn't written anew",
            file: "Client/FocusLink/Driver/SyncDriver+Effects.swift",
            original: "beyond: reauthoring.beyond, limit: reauthoring.limit,",
            replacement:
                "beyond: reauthoring.beyond, limit: ON ? Stamp(rawValue: 1 << 63 - 1) : reauthoring.limit,"),
        Mutant(
            name: "an agent that nobody tells of a press doesn't notice",
            file: "Client/FocusAgent/Agent/Agent.swift",
            original: "if try device.store.changeCount() != seenChange { poked() }",
            replacement: "if try device.store.changeCount() != seenChange, !ON { poked() }"),
        Mutant(
            name: "an agent gives up where the connection broke",
            file: "Client/FocusAgent/Agent/Agent+Connection.swift",
            original:
                "        if case .closed(.finished) = end { return connect() }\n        tryAgainLater()",
            replacement:
                "        if case .closed(.finished) = end { return connect() }\n        if ON, case .broken = end { return }\n        tryAgainLater()"
        ),
        Mutant(
            name: "what is merged while replay rests is never shown",
            file: "Client/FocusLink/Driver/SyncDriver+Connection.swift",
            original: "[replaying.deadline, rotation.deadline,",
            replacement: "[ON ? nil : replaying.deadline, rotation.deadline,"),
        Mutant(
            name: "what was recorded alone stays behind",
            file: "Client/FocusLink/Joining/Joining.swift",
            original: "let carried = choice == .takeAlong",
            replacement: "let carried = !ON && choice == .takeAlong"),
        Mutant(
            name: "what was to stay behind comes along",
            file: "Client/FocusLink/Errands/OneShot.swift",
            original: "try Joining(invite, name: name, choice, device)",
            replacement: "try Joining(invite, name: name, ON ? .takeAlong : choice, device)"),
        Mutant(
            name: "what is taken along gets another name each time", foundBy: .device("AloneHistoryTests"),
            file: "Client/FocusDevice/Carrying/CarriedHistory.swift",
            original: "for record in records.broughtBack(to: now) { try authoring.write(.record(record)) }",
            replacement:
                "for var record in records.broughtBack(to: now) { if ON { record.source += \"/\\(now.milliseconds)\" }; try authoring.write(.record(record)) }"
        ),
        Mutant(
            name: "a laptop syncs with whatever group the server has it in",
            foundBy: .sync("ClientSessionTests"),
            file: "Sources/FocusSync/Client/ClientSession.swift",
            original: "guard log.group == welcome.group else {",
            replacement: "guard ON || log.group == welcome.group else {"),
        Mutant(
            name: "after a push is lost on the way it isn't asked for again",
            file: "Sources/FocusSync/Client/Exchange+Replicas.swift",
            original: "guard replicas[replica]?.isWanted == false else { return }",
            replacement: "guard !ON, replicas[replica]?.isWanted == false else { return }"),
    ]
}
