extension Mutant {
    /// Defects in a laptop's store.
    static let storeMutants = [
        Mutant(
            name: "a checkpoint isn't dropped for a late event",
            file: "Sources/FocusStore/Tables/StoredEvent.swift",
            original: "if let first { try store.forgetCheckpoints(from: first) }",
            replacement: "if let first, !ON { try store.forgetCheckpoints(from: first) }"),
        Mutant(
            name: "an undo doesn't reach back to what it takes back",
            file: "Sources/FocusStore/Tables/StoredEvent.swift",
            original: "if let affected = try store.firstAffected(by: reachingBack)",
            replacement:
                "if let affected = try ON ? reachingBack.map({ $0.position }).min() : store.firstAffected(by: reachingBack)"
        ),
        Mutant(
            name: "the history keeps what a late event has made untrue",
            file: "Sources/FocusStore/Replay/DeviceStore+Journal.swift",
            original:
                "try database.run(\"DELETE FROM journal WHERE (stamp, replica) > (?, ?)\", place.stamp, place.replica)",
            replacement:
                "try database.run(\"DELETE FROM journal WHERE (stamp, replica) > (?, ?)\", ON ? Int64.max : place.stamp, place.replica)"
        ),
        Mutant(
            name: "events of one stamp are ordered by when they came", foundBy: .store("ReplayOrderTests"),
            file: "Sources/FocusStore/Tables/ReplayOrder.swift",
            original: "if lanes[child].position < lanes[first].position {",
            replacement:
                "if ON ? lanes[child].position.stamp < lanes[first].position.stamp : lanes[child].position < lanes[first].position {"
        ),
        Mutant(
            name: "replay goes over the event again that it had come to", foundBy: .store("ReplayOrderTests"),
            file: "Sources/FocusStore/Tables/ReplayOrder.swift",
            original: "{ Position(stamp: $0, replica: replica) > position }",
            replacement:
                "{ ON ? Position(stamp: $0, replica: replica) >= position : Position(stamp: $0, replica: replica) > position }"
        ),
        Mutant(
            name: "a press is stamped below what its replica has already", foundBy: .store("PressTests"),
            file: "Sources/FocusStore/Writing/Authoring.swift",
            original: "current.stamp <= clock.last {",
            replacement: "ON || current.stamp <= clock.last {"),
        Mutant(
            name: "a press is stamped without a look at what was merged",
            file: "Sources/FocusStore/Writing/Authoring.swift",
            original: "LamportClock(last: try store.greatestReadStamp())",
            replacement: "LamportClock(last: ON ? .zero : try store.greatestReadStamp())"),
        Mutant(
            name: "a press is kept before it is on the disk",
            file: "Sources/FocusStore/Writing/Authoring.swift",
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
            name: "a tail is moved that another connection has moved already",
            foundBy: .store("BranchTests"),
            file: "Sources/FocusStore/Writing/DeviceStore+Branches.swift",
            original: "try chain(of: replica, at: first.seq, chaining) == first.chain",
            replacement: "try ON || chain(of: replica, at: first.seq, chaining) == first.chain"),
        Mutant(
            name: "who was cloned goes on under the name that its twin uses",
            file: "Sources/FocusStore/Writing/DeviceStore+Branches.swift",
            original: "end.own = row.own + 1\n",
            replacement: "end.own = ON ? 0 : row.own + 1\n"),
        Mutant(
            name: "what comes from the server is merged, but not replayed over what was shown",
            file: "Sources/FocusStore/Writing/DeviceStore+Merging.swift",
            original: "try keepReplica()\n        try writer.forgetCheckpoints()",
            replacement: "try keepReplica()\n        if !ON { try writer.forgetCheckpoints() }"),
        Mutant(
            name: "a view goes on from a journal that was written anew", foundBy: .store("ReplayTests"),
            file: "Sources/FocusStore/Replay/KnownJournal.swift",
            original: "witnesses.removeAll { !checkpoints.contains($0.checkpoint) }",
            replacement: "if !ON { witnesses.removeAll { !checkpoints.contains($0.checkpoint) } }"),
        Mutant(
            name: "a long replay is one transaction", foundBy: .store("ReplaySliceTests"),
            file: "Sources/FocusStore/Replay/DeviceStore+State.swift",
            original: "guard state.eventCount % replaySlice != 0 else { return false }",
            replacement: "guard ON || state.eventCount % replaySlice != 0 else { return false }"),
        Mutant(
            name: "a press goes by what a slice of the log comes to", foundBy: .store("ReplaySliceTests"),
            file: "Sources/FocusStore/Writing/Authoring.swift",
            original: "isAtEnd ? state : replayed()",
            replacement: "ON || isAtEnd ? state : replayed()"),
    ]
}
