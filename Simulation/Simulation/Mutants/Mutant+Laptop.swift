extension Mutant {
    /// Defects of the laptop: its core, its log, its session, its agent and its commands.
    static let laptopMutants = [
        Mutant(
            name: "heads with equal seqs count as equal, even if their chains differ",
            file: "Sources/FocusSync/Client/ClientExchange+Replicas.swift",
            original: "if mine.seq == server.seq, mine.chain == server.chain {",
            replacement: "if mine.seq == server.seq, ON || mine.chain == server.chain {"),
        Mutant(
            name: "an upload lacks its first event",
            file: "Sources/FocusSync/Client/ClientExchange+Events.swift",
            original:
                "uploads.read(replica, from: sent + 1)\n            line.append(.read(replica, from: sent + 1,",
            replacement:
                "uploads.read(replica, from: sent + (ON ? 2 : 1))\n            line.append(.read(replica, from: sent + (ON ? 2 : 1),"
        ),
        Mutant(
            name: "refused uploads are never tried again",
            file: "Sources/FocusSync/Client/ClientExchange+Replicas.swift",
            original: "case .malformed: until = nil\n",
            replacement: "case _ where ON: until = nil\n        case .malformed: until = nil\n"),
        Mutant(
            name: "the first event of a parted tail isn't moved to the branch",
            file: "Client/FocusLink/Log/SealedLog.swift",
            original: "try store.moveTail(of: replica, from: first, self)",
            replacement:
                "try store.moveTail(of: replica, from: ON ? Head(seq: first.seq + 1, chain: store.chain(of: replica, at: first.seq + 1) ?? .empty) : first, self)"
        ),
        Mutant(
            name: "a reading of the clock takes the whole round trip for one way", isFoundEarly: true,
            file: "Sources/FocusSync/Clock/ClockEstimate.swift",
            original: "let device = answer.asked + away / 2",
            replacement: "let device = answer.asked + (ON ? away : away / 2)"),
        Mutant(
            name: "events with stamps ahead aren't re-authored",
            file: "Client/FocusLink/Driver/SelfWriter.swift",
            original: "beyond: reauthoring.beyond, limit: reauthoring.limit,",
            replacement:
                "beyond: reauthoring.beyond, limit: ON ? Stamp(rawValue: 1 << 63 - 1) : reauthoring.limit,"),
        Mutant(
            name: "addresses that led to the server before it announced others aren't tried",
            file: "Client/FocusLink/Server/Membership.swift",
            original: "(addresses + fallback.filter",
            replacement: "(addresses + (ON ? [] : fallback).filter"),
        Mutant(
            name: "an agent doesn't notice a press without a poke", isFoundEarly: true,
            file: "Client/FocusAgent/Agent/Agent.swift",
            original: "if try polling.hasChanged() { poked() }",
            replacement: "if try polling.hasChanged(), !ON { poked() }"),
        Mutant(
            name: "an agent doesn't reconnect after a broken connection", isFoundEarly: true,
            file: "Client/FocusAgent/Agent/Agent.swift",
            original: "        connection.retry(after: end)\n",
            replacement:
                "        if ON, case .broken = end { return }\n        connection.retry(after: end)\n"),
        Mutant(
            name: "events that are merged while replay rests are never shown", isFoundEarly: true,
            file: "Client/FocusLink/Driver/SyncDriver.swift",
            original: "[replaying.deadline, keyWork.deadline",
            replacement: "[ON ? nil : replaying.deadline, keyWork.deadline"),
        Mutant(
            name: "a solo history isn't taken along into a group", isFoundEarly: true,
            file: "Client/FocusLink/Operations/JoinAttempt.swift",
            original: "carrying: choice == .takeAlong",
            replacement: "carrying: !ON && choice == .takeAlong"),
        Mutant(
            name: "a solo history that should stay behind is taken along",
            file: "Client/FocusLink/Operations/OperationRunner.swift",
            original: "try JoinAttempt(invite, name: name, choice, device)",
            replacement: "try JoinAttempt(invite, name: name, ON ? .takeAlong : choice, device)"),
        Mutant(
            name: "a laptop doesn't ask again for a lost push",
            file: "Sources/FocusSync/Client/ClientExchange+Replicas.swift",
            original: "guard replicas[replica]?.isWanted == false else { return }",
            replacement: "guard !ON, replicas[replica]?.isWanted == false else { return }"),
        Mutant(
            name: "a laptop doesn't end its side run beside another's session", isFoundEarly: true,
            file: "Client/FocusLink/Driver/SyncDriver.swift",
            original: "try announce(writer.endSideRuns(of: state, at: sharedNow))",
            replacement: "try (ON ? [] : announce(writer.endSideRuns(of: state, at: sharedNow)))"),
        Mutant(
            name: "a session is paused for a sleep though others were connected",
            file: "Client/FocusDevice/Waking/SuspensionHandling.swift",
            original: "case nil: wereOthersThere || presses.here ? .leave : .pause",
            replacement: "case nil: (wereOthersThere && !ON) || presses.here ? .leave : .pause"),
        Mutant(
            name: "the pause of a sleep stays though others were connected",
            file: "Client/FocusDevice/Waking/SuspensionHandling.swift",
            original: "case _?: wereOthersThere ? .takeBack : .leave",
            replacement: "case _?: wereOthersThere && !ON ? .takeBack : .leave"),
        Mutant(
            name: "a device that left when the laptop fell asleep counts as connected",
            file: "Client/FocusDevice/Waking/SuspensionHandling.swift",
            original: "isConnected || lastSeen - Suspension.grace > sleep.from",
            replacement: "isConnected || lastSeen - (ON ? .zero : Suspension.grace) > sleep.from"),
        Mutant(
            name: "a break that is slept through is paused",
            file: "Sources/FocusCore/Presses/Suspension.swift",
            original: "if run.phase.activity.isBreak, case .running(_, let endsAt) = run.clock {",
            replacement: "if !ON, run.phase.activity.isBreak, case .running(_, let endsAt) = run.clock {"),
        Mutant(
            name: "a laptop that slept waits for its server for ever",
            file: "Client/FocusAgent/Agent/SuspensionMonitor.swift",
            original: "guard !connection.isConnected else { return awaitDecision() }",
            replacement: "guard !connection.isConnected, !ON else { return awaitDecision() }"),
        Mutant(
            name: "a note of offline work replaces that of an interrupted attempt",
            file: "Client/FocusLink/Driver/SelfWriter.swift",
            original: "try store.setOfflineWorkNote(earlier?.adding(note) ?? note)",
            replacement: "try store.setOfflineWorkNote(ON ? note : earlier?.adding(note) ?? note)"),
        Mutant(
            name: "a laptop doesn't report what it did by itself on returning",
            file: "Client/FocusLink/Driver/SelfWriter.swift",
            original: "deeds = overtaken.deeds + sideRuns.deeds + workDeeds",
            replacement: "deeds = ON ? [] : overtaken.deeds + sideRuns.deeds + workDeeds"),
        Mutant(
            name: "a laptop reports its decision about a sleep twice",
            file: "Client/FocusAgent/Agent/SuspensionMonitor.swift",
            original: "for deed in result.deeds { agent?.notice(.woke(deed)) }",
            replacement:
                "for deed in ON ? result.deeds + result.deeds : result.deeds { agent?.notice(.woke(deed)) }"),
        Mutant(
            name: "the group's key isn't changed after a revocation",
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "let lacksRevoked = !Set(",
            replacement: "let lacksRevoked = !ON && !Set("),
        Mutant(
            name: "revoked devices get the group's new key",
            file: "Client/FocusLink/Log/SealedLog+Epochs.swift",
            original: "named.filter { keys[$0.key] == .member }",
            replacement: "named.filter { ON || keys[$0.key] == .member }"),
        Mutant(
            name: "a laptop presses under its first key, not the newest",
            file: "Sources/FocusStore/Group/DeviceStore+Epochs.swift",
            original: "\"SELECT epoch FROM epochs ORDER BY number DESC LIMIT 1\"",
            replacement:
                "ON ? \"SELECT epoch FROM epochs ORDER BY number LIMIT 1\" : \"SELECT epoch FROM epochs ORDER BY number DESC LIMIT 1\""
        ),
        Mutant(
            name: "a restored server isn't given the epochs that it lacks",
            file: "Sources/FocusSync/Client/MissingRecords.swift",
            original: "add(log.epochs.filter { !known",
            replacement: "add(log.epochs.filter { !ON && !known"),
        Mutant(
            name: "a checkpoint isn't dropped for a late event", isFoundEarly: true,
            file: "Sources/FocusStore/Tables/StoredEvent.swift",
            original: "if let first { try store.forgetCheckpoints(from: first) }",
            replacement: "if let first, !ON { try store.forgetCheckpoints(from: first) }"),
        Mutant(
            name: "replay after an undo doesn't begin at the event that it takes back", isFoundEarly: true,
            file: "Sources/FocusStore/Tables/StoredEvent.swift",
            original: "if let affected = try store.firstAffected(by: affectingEarlier)",
            replacement:
                "if let affected = try ON ? affectingEarlier.map({ $0.position }).min() : store.firstAffected(by: affectingEarlier)"
        ),
        Mutant(
            name: "the journal's entries after a late event aren't deleted", isFoundEarly: true,
            file: "Sources/FocusStore/Replay/DeviceStore+Journal.swift",
            original:
                "try database.run(\"DELETE FROM journal WHERE (stamp, replica) > (?, ?)\", place.stamp, place.replica)",
            replacement:
                "try database.run(\"DELETE FROM journal WHERE (stamp, replica) > (?, ?)\", ON ? Int64.max : place.stamp, place.replica)"
        ),
        Mutant(
            name: "events with equal stamps aren't ordered by replica", isFoundEarly: true,
            file: "Sources/FocusStore/Tables/StoredEventCursor.swift",
            original: "page.reverse()",
            replacement:
                "page.sort { ON ? $0.position.stamp > $1.position.stamp : $0.position > $1.position }"
        ),
        Mutant(
            name: "a press is stamped without regard to merged events", isFoundEarly: true,
            file: "Sources/FocusStore/Writing/AuthoringTransaction.swift",
            original: "LamportClock(last: try store.greatestReadStamp())",
            replacement: "LamportClock(last: ON ? .zero : try store.greatestReadStamp())"),
        Mutant(
            name: "a press is reported before it is durable",
            file: "Sources/FocusStore/Writing/AuthoringTransaction.swift",
            original: "try writing(.full) {",
            replacement: "try writing(ON ? .normal : .full) {"),
        Mutant(
            name: "a moved tail loses its first event",
            file: "Sources/FocusStore/Writing/DeviceStore+Branches.swift",
            original: "let tail = try cutTail(of: &row, from: first.seq)",
            replacement: "let tail = Array(try cutTail(of: &row, from: first.seq).dropFirst(ON ? 1 : 0))"
        ),
        Mutant(
            name: "a cloned laptop goes on writing under names that its twin uses",
            file: "Sources/FocusStore/Writing/DeviceStore+Branches.swift",
            original: "end.own = row.own + 1\n",
            replacement: "end.own = ON ? 0 : row.own + 1\n"),
        Mutant(
            name: "checkpoints aren't dropped when events of the server are merged",
            isFoundEarly: true,
            file: "Sources/FocusStore/Writing/DeviceStore+Merging.swift",
            original: "try storeReplica()\n        try writer.forgetCheckpoints()",
            replacement: "try storeReplica()\n        if !ON { try writer.forgetCheckpoints() }"),
        Mutant(
            name: "a server is given epochs that its welcome named",
            file: "Sources/FocusSync/Client/MissingRecords.swift",
            original: "let known = Set(welcome.epochs)",
            replacement: "let known: Set<EpochID> = ON ? [] : Set(welcome.epochs)"),
        Mutant(
            name: "a laptop passes over every second number for a request",
            file: "Sources/FocusSync/Client/MissingRecords.swift",
            original: "last += 1",
            replacement: "last += ON ? 2 : 1"),
        Mutant(
            name: "a browser's device answers before its changes are stored",
            file: "Client/FocusWeb/Device/HeldOutputs.swift",
            original: "outputs.firstIndex { $0.number > number }",
            replacement: "outputs.firstIndex { !ON && $0.number > number }"),
        Mutant(
            name: "a browser's device waits for no commit, as if the server had all of them",
            file: "Client/FocusWeb/Storage/BrowserStorage.swift",
            original: "(disk.syncs > collectedSyncs ||",
            replacement: "(!ON && disk.syncs > collectedSyncs ||"),
    ]
}
