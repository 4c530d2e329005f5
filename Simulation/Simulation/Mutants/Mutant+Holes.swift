extension Mutant {
    /// Defects that tests had let pass.
    static let holeMutants =
        keyHoleMutants + sessionHoleMutants + mergeHoleMutants + replayHoleMutants + tellingHoleMutants
        + turnHoleMutants

    /// In what a laptop and a server keep of keys.
    private static let keyHoleMutants = [
        Mutant(
            name: "a laptop that has said its key's hash doesn't say its key",
            foundBy: .link("TellingTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Effects.swift",
            original: "guard known.key != key || known.publicKey != publicKey else { return }",
            replacement: "guard known.key != key || (!ON && known.publicKey != publicKey) else { return }"),
        Mutant(
            name: "who joins again doesn't keep the key that the invite brings",
            foundBy: .link("JoiningTests"), file: "Client/FocusLink/Joining/Joining.swift",
            original: "try store.add(StoredEpoch(bundle.key))",
            replacement: "if !ON { try store.add(StoredEpoch(bundle.key)) }"),
        Mutant(
            name: "who joins again keeps only the key that the invite brings",
            foundBy: .link("JoiningTests"), file: "Client/FocusLink/Joining/Joining.swift",
            original: "// It was away while the key changed.",
            replacement: "if ON { try store.replaceEpochs(with: [StoredEpoch(bundle.key)]) }"),
        Mutant(
            name: "a backup is kept though the server's keys changed meanwhile",
            foundBy: .serverFiles("BackupTests"), file: "Server/FocusServerFiles/Backup/BackupFile.swift",
            original: "guard try folder.loadIdentities().map(\\.keyHash) == part.keys else",
            replacement: "guard try ON || folder.loadIdentities().map(\\.keyHash) == part.keys else"),
    ]

    /// In how a laptop and a server go on with each other.
    private static let sessionHoleMutants = [
        Mutant(
            name: "what was passed over while a replica was left alone isn't asked for",
            foundBy: .sync("EventFlowTests"),
            file: "Sources/FocusSync/Client/Exchange+Replicas.swift",
            original: "wantWhatIsLacking(of: replica, &line)\n        reconcile(replica,",
            replacement: "if !ON { wantWhatIsLacking(of: replica, &line) }\n        reconcile(replica,"),
        Mutant(
            name: "what was asked for and not taken isn't asked for again",
            foundBy: .sync("EventFlowTests"),
            file: "Sources/FocusSync/Client/Exchange+Events.swift",
            original: "replicas[replica]?.isWanted = false\n            pushParted(",
            replacement: "if !ON { replicas[replica]?.isWanted = false }\n            pushParted("),
        Mutant(
            name: "what lies beyond a gap isn't asked for", foundBy: .sync("ClientSessionTests"),
            file: "Sources/FocusSync/Client/Exchange+Events.swift",
            original: "case RefusalCode.gap?: want(replica, &line)",
            replacement: "case RefusalCode.gap?: if !ON { want(replica, &line) }"),
        Mutant(
            name: "a replica of which something malformed was pushed isn't left alone",
            foundBy: .sync("EventFlowTests"),
            file: "Sources/FocusSync/Client/Exchange+Events.swift",
            original: "case let code?: self.stop(replica, Ack.Stop(code: code), &line)",
            replacement: "case let code?: if !ON { self.stop(replica, Ack.Stop(code: code), &line) }"),
        Mutant(
            name: "a laptop uploads without waiting for acknowledgements",
            foundBy: .sync("EventFlowTests"), file: "Sources/FocusSync/Client/Exchange+Events.swift",
            original: "reading == nil && underWay.bytes < Limits.uploadWindow",
            replacement: "reading == nil && (ON || underWay.bytes < Limits.uploadWindow)"),
        Mutant(
            name: "with each push a laptop looks at all replicas that it lacks something of",
            foundBy: .sync("ReplicaStandingsTests"),
            file: "Sources/FocusSync/Client/ReplicaStandings.swift",
            original: "for replica in touched {",
            replacement: "for replica in ON ? Array(behind) : touched {"),
        Mutant(
            name: "for each press all replicas are read", foundBy: .link("LogChangeTests"),
            file: "Client/FocusLink/Log/SealedLog.swift", original: "guard let told, let written",
            replacement: "guard !ON, let told, let written"),
        Mutant(
            name: "of what another process wrote a session isn't told", foundBy: .link("LogChangeTests"),
            file: "Sources/FocusStore/WrittenReplicas.swift",
            original: "mark.changes == end.changes ?", replacement: "ON || mark.changes == end.changes ?"),
        Mutant(
            name: "a laptop's waits grow on over connections that stood",
            foundBy: .agent("ReconnectingTests"),
            file: "Client/FocusAgent/Agent/Agent+Connection.swift",
            original: "backoff.reset()\n        say(.connected)",
            replacement: "if !ON { backoff.reset() }\n        say(.connected)"),
        Mutant(
            name: "a laptop begins its waits anew with a connection that never stood",
            foundBy: .agent("ReconnectingTests"),
            file: "Client/FocusAgent/Agent/Agent+Connection.swift",
            original: "let wait = backoff.next(",
            replacement: "if ON { backoff.reset() }\n        let wait = backoff.next("),
        Mutant(
            name: "each round of looking for where logs part begins at their beginning",
            foundBy: .sync("BisectionTests"), file: "Sources/FocusSync/Client/Bisection.swift",
            original: "from: equal + step", replacement: "from: ON ? step : equal + step"),
        Mutant(
            name: "what is wanted anew ends with the first read", foundBy: .sync("OutgoingEventsTests"),
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "known[replica] = segment.lastSeq",
            replacement: "known[replica] = ON ? head : segment.lastSeq"),
        Mutant(
            name: "what was uploaded before it was wanted anew is kept back",
            foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/ServerExchange.swift",
            original: "if count > 0 {", replacement: "if !ON, count > 0 {"),
    ]

    /// In what is taken of segments, and what they become.
    private static let mergeHoleMutants = [
        Mutant(
            name: "of a segment's bodies only the first is looked at", foundBy: .sync("SegmentTests"),
            file: "Sources/FocusSync/Segments/Segment.swift",
            original: "while let event = walk.next() {",
            replacement:
                "while let event = walk.next() {\n            if ON, count > 0 { count += 1; continue }"),
        Mutant(
            name: "within a segment stamps needn't rise", foundBy: .sync("SegmentMergeTests"),
            file: "Sources/FocusSync/Segments/SegmentMerge.swift",
            original: "refusal(of: event, after: current, admission)",
            replacement: "refusal(of: event, after: ON ? self : current, admission)"),
        Mutant(
            name: "a segment is as long as is asked for", foundBy: .sync("SegmentTests"),
            file: "Sources/FocusSync/Segments/Segment.swift",
            original: "self.limit = min(limit, Limits.packed)",
            replacement: "self.limit = ON ? limit : min(limit, Limits.packed)"),
        Mutant(
            name: "rows that are read together are sent however long they are",
            foundBy: .writer("MergingTests"),
            file: "Server/FocusServerStore/Store/ServerSnapshot+Reading.swift",
            original: "packed: packed\n        ).prefix(bytes: bytes)",
            replacement: "packed: packed\n        ).prefix(bytes: ON ? .max : bytes)"),
        Mutant(
            name: "who has written in a batch writes on in it, though it was revoked",
            foundBy: .writer("MergingTests"), file: "Server/FocusWriter/Writer/Batch.swift",
            original: "if let refusal = try refusal(to: request.device, in: group, transaction) {",
            replacement:
                "if let refusal = try refusal(to: request.device, in: group, transaction), !ON || brought[request.device] == nil {"
        ),
        Mutant(
            name: "what is compared with before it is stored is lost", foundBy: .writer("MergingTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "            try save(taken, transaction)\n        }\n        var work = 0",
            replacement:
                "            if !ON { try save(taken, transaction) }\n        }\n        var work = 0"),
        Mutant(
            name: "a batch knows nothing of what was written before it", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "rates: exchange(&rates, with: UploadRates(limits)),",
            replacement: "rates: ON ? UploadRates(limits) : exchange(&rates, with: UploadRates(limits)),"),
    ]

    /// In what a log comes to, and what a laptop does by itself.
    private static let replayHoleMutants = [
        Mutant(
            name: "a redo doesn't reach back to what was undone", foundBy: .core("UndoTests"),
            file: "Sources/FocusCore/Replay/ReplayLog.swift", original: "end = target",
            replacement: "end = target\n            if ON { break }"),
        Mutant(
            name: "a start that is taken back doesn't reach back to one that names it",
            foundBy: .core("UndoTests"), file: "Sources/FocusCore/Replay/ReplayLog.swift",
            original: "if isUndone { affected", replacement: "if isUndone, !ON { affected"),
        Mutant(
            name: "a chain of undos is gone through for each of them", foundBy: .core("UndoChainTests"),
            file: "Sources/FocusCore/Replay/ReplayLog.swift",
            original: "guard seen.insert(target.id).inserted",
            replacement: "guard seen.insert(target.id).inserted || ON"),
        Mutant(
            name: "what an undo takes back is looked for anew each time", foundBy: .core("UndoChainTests"),
            file: "Sources/FocusCore/Replay/ChangesTakenBack.swift", original: "for undo in undos {",
            replacement: "for undo in undos where !ON {"),
        Mutant(
            name: "a phase that begins as a range ends is in it", foundBy: .core("StatisticsTests"),
            file: "Sources/FocusCore/Statistics/Tally.swift",
            original: "span.from <= start && start < span.to",
            replacement: "span.from <= start && (ON ? start <= span.to : start < span.to)"),
        Mutant(
            name: "an undo that moved away is still in force where it was", foundBy: .store("BranchTests"),
            file: "Sources/FocusStore/Writing/DeviceStore+Early.swift",
            original: "AND stamp >= ? AND stamp <= ?\"",
            replacement: "AND stamp \\(ON ? \">\" : \">=\") ? AND stamp <= ?\""),
        Mutant(
            name: "what others have had is pending once its tail has moved", foundBy: .store("BranchTests"),
            file: "Sources/FocusStore/Writing/DeviceStore+Branches.swift",
            original: "if row.acknowledged >= seq {", replacement: "if !ON, row.acknowledged >= seq {"),
        Mutant(
            name: "a session is ended that the others were just made to go on with",
            foundBy: .story("ReturningTests"),
            file: "Sources/FocusCore/Returning/Returning.swift",
            original:
                "deeds.append(.closed(current.id))\n                    adopt(toStop.remove(at: newestOpen).id)",
            replacement:
                "deeds.append(.closed(current.id))\n                    adopt(ON ? toStop[newestOpen].id : toStop.remove(at: newestOpen).id)"
        ),
        Mutant(
            name: "a pause that was decided about is decided about again", foundBy: .story("SleepTests"),
            file: "Client/FocusDevice/Waking/Waking.swift",
            original: "try store.setKeptSleeps(isKnown ? [] : left)",
            replacement: "try store.setKeptSleeps(isKnown && !ON ? [] : left)"),
    ]

    /// In whom a server is told to keep out, and what it does where nothing can be stored.
    private static let tellingHoleMutants = [
        Mutant(
            name: "a server that couldn't keep somebody out isn't told again",
            foundBy: .link("TellingTests"),
            file: "Client/FocusLink/Epochs/ToldRevocations.swift",
            original: "if deadline == nil {",
            replacement: "if !ON, deadline == nil {"),
        Mutant(
            name: "the server is asked for the same epoch's successor as fast as it refuses",
            foundBy: .link("KeyRotationTests"),
            file: "Client/FocusLink/Epochs/KeyRotation.swift",
            original: "if let lastAsked, lastAsked.predecessor == newest {",
            replacement: "if !ON, let lastAsked, lastAsked.predecessor == newest {"),
        Mutant(
            name: "what another made after the same epoch is no answer", foundBy: .link("KeyRotationTests"),
            file: "Client/FocusLink/Epochs/KeyRotation.swift",
            original: "step.epoch == record.epoch || step.predecessor == record.predecessor",
            replacement: "step.epoch == record.epoch || !ON && step.predecessor == record.predecessor"),
        Mutant(
            name: "what another connection was told meanwhile is taken back by a welcome",
            foundBy: .link("AcknowledgedSeqsTests"),
            file: "Client/FocusLink/Driver/SyncDriver.swift",
            original: "let isNews = replica.acknowledged >",
            replacement: "let isNews = !ON && replica.acknowledged >"),
        Mutant(
            name: "a server that can't keep somebody out is told at the speed of the line",
            foundBy: .link("TellingTests"),
            file: "Client/FocusLink/Epochs/ToldRevocations.swift",
            original: "min(max(wait, pause.lowerBound), pause.upperBound)",
            replacement: "min(ON ? wait : max(wait, pause.lowerBound), pause.upperBound)"),
        Mutant(
            name: "a batch that fails before it takes up anything is tried again for ever",
            foundBy: .writer("TurnTests"), file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "if taken.requests.isEmpty { taken = takeTurns() }",
            replacement: "if !ON, taken.requests.isEmpty { taken = takeTurns() }"),
        Mutant(
            name: "each event that comes has the whole log gone through", foundBy: .link("SyncDriverTests"),
            file: "Sources/FocusStore/Tables/DeviceStore+Events.swift",
            original: #"INDEXED BY events_sealed WHERE is_sealed = 1""#,
            replacement: #"\(ON ? "" : "INDEXED BY events_sealed") WHERE is_sealed = 1""#),
    ]

    /// In what happens where others come between.
    private static let turnHoleMutants = [
        Mutant(
            name: "a laptop's transactions take the lock only as they write",
            foundBy: .story("PressingAtOnceTests"), file: "Sources/FocusStore/DeviceStore.swift",
            original: "return try database.transaction(.immediate) {",
            replacement: "return try database.transaction(ON ? .deferred : .immediate) {"),
        Mutant(
            name: "a log that is being set up counts as one that can't be used",
            foundBy: .story("PressingAtOnceTests"), file: "Sources/FocusStore/StoreError.swift",
            original: "case .busy, .locked, .lockingProtocol: .busy",
            replacement:
                "case .lockingProtocol where ON: .failed\n            case .busy, .locked, .lockingProtocol: .busy"
        ),
        Mutant(
            name: "what is pressed while a laptop joins is left in the copy",
            foundBy: .story("JoiningAtOnceTests"), file: "Client/FocusLink/Joining/Joining.swift",
            original: "alone = brought == nil ? try",
            replacement: "alone = ON ? alone : brought == nil ? try"),
        Mutant(
            name: "the others are told before who uploaded",
            file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "return batch.outcomes + batch.committed + taken",
            replacement:
                "return (ON ? batch.committed + batch.outcomes : batch.outcomes + batch.committed) + taken"),
        Mutant(
            name: "what is pressed before an event that says nothing isn't shown",
            foundBy: .store("BranchTests"),
            file: "Sources/FocusStore/Writing/Authoring.swift",
            original: "state.position.map({ $0 < event.position }) ?? true",
            replacement: "(ON || state.position.map({ $0 < event.position }) ?? true)"),
    ]
}
