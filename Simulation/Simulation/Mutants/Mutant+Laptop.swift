extension Mutant {
    /// Defects of the laptop: its core, its log, its session, its agent and its commands.
    static let laptopMutants = [
        Mutant(
            name: "two heads of one length are taken for equal, whatever their chains",
            file: "Sources/FocusSync/Client/ClientExchange+Replicas.swift",
            original: "if mine.seq == server.seq, mine.chain == server.chain {",
            replacement: "if mine.seq == server.seq, ON || mine.chain == server.chain {"),
        Mutant(
            name: "an upload begins one event late",
            file: "Sources/FocusSync/Client/ClientExchange+Events.swift",
            original:
                "uploads.read(replica, from: sent + 1)\n            line.append(.read(replica, from: sent + 1,",
            replacement:
                "uploads.read(replica, from: sent + (ON ? 2 : 1))\n            line.append(.read(replica, from: sent + (ON ? 2 : 1),"
        ),
        Mutant(
            name: "what the server refused is never tried again",
            file: "Sources/FocusSync/Client/ClientExchange+Replicas.swift",
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
            name: "a reading of the clock forgets half of the way", isFoundEarly: true,
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
            name: "an agent that nobody tells of a press doesn't notice", isFoundEarly: true,
            file: "Client/FocusAgent/Agent/Agent.swift",
            original: "if try device.store.changeCount() != seenChange { poked() }",
            replacement: "if try device.store.changeCount() != seenChange, !ON { poked() }"),
        Mutant(
            name: "an agent gives up where the connection broke", isFoundEarly: true,
            file: "Client/FocusAgent/Agent/Agent+Connection.swift",
            original:
                "        if case .closed(.finished) = end { return connect() }\n        tryAgainLater()",
            replacement:
                "        if case .closed(.finished) = end { return connect() }\n        if ON, case .broken = end { return }\n        tryAgainLater()"
        ),
        Mutant(
            name: "what is merged while replay rests is never shown", isFoundEarly: true,
            file: "Client/FocusLink/Driver/SyncDriver+Connection.swift",
            original: "[replaying.deadline, rotation.deadline,",
            replacement: "[ON ? nil : replaying.deadline, rotation.deadline,"),
        Mutant(
            name: "what was recorded alone stays behind", isFoundEarly: true,
            file: "Client/FocusLink/Joining/Joining.swift",
            original: "let carried = choice == .takeAlong",
            replacement: "let carried = !ON && choice == .takeAlong"),
        Mutant(
            name: "what was to stay behind comes along",
            file: "Client/FocusLink/Errands/OperationRunner.swift",
            original: "try Joining(invite, name: name, choice, device)",
            replacement: "try Joining(invite, name: name, ON ? .takeAlong : choice, device)"),
        Mutant(
            name: "after a push is lost on the way it isn't asked for again",
            file: "Sources/FocusSync/Client/ClientExchange+Replicas.swift",
            original: "guard replicas[replica]?.isWanted == false else { return }",
            replacement: "guard !ON, replicas[replica]?.isWanted == false else { return }"),
        Mutant(
            name: "a session stands on beside another's", isFoundEarly: true,
            file: "Client/FocusLink/Driver/SyncDriver+Effects.swift",
            original: "try endSideRuns(of: state) + nameItself(in: state)",
            replacement: "try (ON ? [] : endSideRuns(of: state)) + nameItself(in: state)"),
        Mutant(
            name: "time asleep is paused though others were there",
            file: "Client/FocusDevice/Waking/SuspensionHandling.swift",
            original: "case nil: wereOthersThere || presses.here ? .leave : .pause",
            replacement: "case nil: (wereOthersThere && !ON) || presses.here ? .leave : .pause"),
        Mutant(
            name: "the pause of a sleep stays though others were there",
            file: "Client/FocusDevice/Waking/SuspensionHandling.swift",
            original: "case _?: wereOthersThere ? .takeBack : .leave",
            replacement: "case _?: wereOthersThere && !ON ? .takeBack : .leave"),
        Mutant(
            name: "who left together with it was there",
            file: "Client/FocusDevice/Waking/SuspensionHandling.swift",
            original: "isConnected || lastSeen - Suspension.grace > sleep.from",
            replacement: "isConnected || lastSeen - (ON ? .zero : Suspension.grace) > sleep.from"),
        Mutant(
            name: "a break that is slept through is paused",
            file: "Sources/FocusCore/Presses/Suspension.swift",
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
        Mutant(
            name: "the group's key isn't changed after a revocation",
            file: "Client/FocusLink/Epochs/KeyRing.swift",
            original: "let lacksRevoked = !Set(",
            replacement: "let lacksRevoked = !ON && !Set("),
        Mutant(
            name: "who was revoked gets the new key like everybody",
            file: "Client/FocusLink/Log/SealedLog+Epochs.swift",
            original: "named.filter { keys[$0.key] == .member }",
            replacement: "named.filter { ON || keys[$0.key] == .member }"),
        Mutant(
            name: "a laptop presses under the first key, whichever is the newest",
            file: "Sources/FocusStore/Group/DeviceStore+Epochs.swift",
            original: "\"SELECT epoch FROM epochs ORDER BY number DESC LIMIT 1\"",
            replacement:
                "ON ? \"SELECT epoch FROM epochs ORDER BY number LIMIT 1\" : \"SELECT epoch FROM epochs ORDER BY number DESC LIMIT 1\""
        ),
        Mutant(
            name: "a restored server isn't given the epochs that it lacks",
            file: "Sources/FocusSync/Client/MissingRecords.swift",
            original: "epochs: log.epochs.filter { !known",
            replacement: "epochs: log.epochs.filter { !ON && !known"),
        Mutant(
            name: "a checkpoint isn't dropped for a late event", isFoundEarly: true,
            file: "Sources/FocusStore/Tables/StoredEvent.swift",
            original: "if let first { try store.forgetCheckpoints(from: first) }",
            replacement: "if let first, !ON { try store.forgetCheckpoints(from: first) }"),
        Mutant(
            name: "an undo doesn't reach back to what it takes back", isFoundEarly: true,
            file: "Sources/FocusStore/Tables/StoredEvent.swift",
            original: "if let affected = try store.firstAffected(by: reachingBack)",
            replacement:
                "if let affected = try ON ? reachingBack.map({ $0.position }).min() : store.firstAffected(by: reachingBack)"
        ),
        Mutant(
            name: "the history keeps what a late event has made untrue", isFoundEarly: true,
            file: "Sources/FocusStore/Replay/DeviceStore+Journal.swift",
            original:
                "try database.run(\"DELETE FROM journal WHERE (stamp, replica) > (?, ?)\", place.stamp, place.replica)",
            replacement:
                "try database.run(\"DELETE FROM journal WHERE (stamp, replica) > (?, ?)\", ON ? Int64.max : place.stamp, place.replica)"
        ),
        Mutant(
            name: "events of one stamp are ordered by when they came", isFoundEarly: true,
            file: "Sources/FocusStore/Tables/MergedEventCursor.swift",
            original: "if lanes[child].position < lanes[first].position {",
            replacement:
                "if ON ? lanes[child].position.stamp < lanes[first].position.stamp : lanes[child].position < lanes[first].position {"
        ),
        Mutant(
            name: "a press is stamped without a look at what was merged", isFoundEarly: true,
            file: "Sources/FocusStore/Writing/AuthoringTransaction.swift",
            original: "LamportClock(last: try store.greatestReadStamp())",
            replacement: "LamportClock(last: ON ? .zero : try store.greatestReadStamp())"),
        Mutant(
            name: "a press is kept before it is on the disk",
            file: "Sources/FocusStore/Writing/AuthoringTransaction.swift",
            original: "try transaction(.full) {",
            replacement: "try transaction(ON ? .normal : .full) {"),
        Mutant(
            name: "a moved tail loses its first event",
            file: "Sources/FocusStore/Writing/DeviceStore+Branches.swift",
            original: "let tail = try cutTail(of: &row, from: first.seq, after: before)",
            replacement:
                "let tail = Array(try cutTail(of: &row, from: first.seq, after: before).dropFirst(ON ? 1 : 0))"
        ),
        Mutant(
            name: "who was cloned goes on under the name that its twin uses",
            file: "Sources/FocusStore/Writing/DeviceStore+Branches.swift",
            original: "end.own = row.own + 1\n",
            replacement: "end.own = ON ? 0 : row.own + 1\n"),
        Mutant(
            name: "what comes from the server is merged, but not replayed over what was shown",
            isFoundEarly: true,
            file: "Sources/FocusStore/Writing/DeviceStore+Merging.swift",
            original: "try keepReplica()\n        try writer.forgetCheckpoints()",
            replacement: "try keepReplica()\n        if !ON { try writer.forgetCheckpoints() }"),
        Mutant(
            name: "a server is given epochs that it named",
            file: "Sources/FocusSync/Client/MissingRecords.swift",
            original: "let known = Set(welcome.epochs)",
            replacement: "let known: Set<EpochID> = ON ? [] : Set(welcome.epochs)"),
    ]
}
