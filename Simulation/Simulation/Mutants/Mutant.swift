/// A deliberate defect: what the code says, and what it says instead. The simulator has to find it.
///
/// Mutants are put into a copy of the sources, all at once, each switched on by its number. The programs' own code
/// knows nothing of them.
package struct Mutant: Hashable, Sendable {
    /// What goes wrong, in a few words.
    package let name: String
    /// The file, from the package's root.
    package let file: String
    /// What stands there, exactly once.
    package let original: String
    /// What stands there instead. `ON` is whether the defect is switched on; without it, the code does what it
    /// did.
    package let replacement: String
}

extension Mutant {
    /// Every defect, in the order of their numbers, from 1.
    package static let all: [Mutant] = clientMutants + storeMutants + serverMutants + keyMutants

    private static let clientMutants = [
        Mutant(
            name: "two heads of one length are taken for equal, whatever their chains",
            file: "Sources/FocusSync/Client/ClientSession+Replicas.swift",
            original: "if mine.seq == standing.serverSeq, mine.chain == standing.serverChain {",
            replacement: "if mine.seq == standing.serverSeq, ON || mine.chain == standing.serverChain {"),
        Mutant(
            name: "an upload begins one event late",
            file: "Sources/FocusSync/Client/ClientSession+Events.swift",
            original:
                "uploads.read(replica, from: sent + 1)\n            effects.append(.read(replica, from: sent + 1,",
            replacement:
                "uploads.read(replica, from: sent + (ON ? 2 : 1))\n            effects.append(.read(replica, from: sent + (ON ? 2 : 1),"
        ),
        Mutant(
            name: "an upload counts as acknowledged as far as it went, not as far as it was taken",
            file: "Sources/FocusSync/Client/ClientSession+Events.swift",
            original: "agree(ack.replica, through: min(ack.head.seq, lastSeq))",
            replacement: "agree(ack.replica, through: ON ? lastSeq : min(ack.head.seq, lastSeq))"),
        Mutant(
            name: "what the server refused is never tried again",
            file: "Sources/FocusSync/Client/ClientSession+Replicas.swift",
            original: "case .malformed: until = nil\n",
            replacement: "case _ where ON: until = nil\n        case .malformed: until = nil\n"),
        Mutant(
            name: "the first event of a parted tail stays where it is",
            file: "Client/FocusClient/Network/GroupLog.swift",
            original: "try store.moveTail(of: replica, from: first, self)",
            replacement:
                "try store.moveTail(of: replica, from: ON ? Head(seq: first.seq + 1, chain: store.chain(of: replica, at: first.seq + 1) ?? .empty) : first, self)"
        ),
        Mutant(
            name: "a reading of the clock forgets half of the way",
            file: "Sources/FocusSync/Clock/ClockEstimate.swift",
            original: "let device = answer.asked + away / 2",
            replacement: "let device = answer.asked + (ON ? away : away / 2)"),
        Mutant(
            name: "what lies ahead isn't written anew",
            file: "Client/FocusClient/Network/SyncDriver+Effects.swift",
            original: "beyond: reauthoring.beyond, limit: reauthoring.limit,",
            replacement:
                "beyond: reauthoring.beyond, limit: ON ? Stamp(rawValue: 1 << 63 - 1) : reauthoring.limit,"),
        Mutant(
            name: "an agent that nobody tells of a press doesn't notice",
            file: "Client/FocusClient/Agent/Agent.swift",
            original: "if try device.store.changeCount() != seenChange { poked() }",
            replacement: "if try device.store.changeCount() != seenChange, !ON { poked() }"),
        Mutant(
            name: "an agent gives up where the connection broke",
            file: "Client/FocusClient/Agent/Agent+Connection.swift",
            original:
                "        if case .closed(.finished) = end { return connect() }\n        tryAgainLater()",
            replacement:
                "        if case .closed(.finished) = end { return connect() }\n        if ON, case .broken = end { return }\n        tryAgainLater()"
        ),
        Mutant(
            name: "what is merged while replay rests is never shown",
            file: "Client/FocusClient/Network/SyncDriver+Effects.swift",
            original: "            scheduleSettling()\n",
            replacement: "            if !ON { scheduleSettling() }\n"),
        Mutant(
            name: "what was recorded alone stays behind",
            file: "Client/FocusClient/Network/Joining.swift",
            original: "let carried = choice == .takeAlong",
            replacement: "let carried = !ON && choice == .takeAlong"),
        Mutant(
            name: "what was to stay behind comes along",
            file: "Client/FocusClient/Network/OneShot.swift",
            original: "try Joining(invite, name: name, choice, device)",
            replacement: "try Joining(invite, name: name, ON ? .takeAlong : choice, device)"),
        Mutant(
            name: "what is taken along gets another name each time",
            file: "Client/FocusClient/Network/AloneHistory.swift",
            original: "                try authoring.write(.record(record))\n",
            replacement:
                "                if ON { record.source += \"/\\(now)\" }\n                try authoring.write(.record(record))\n"
        ),
        Mutant(
            name: "a laptop syncs with whatever group the server has it in",
            file: "Sources/FocusSync/Client/ClientSession+Messages.swift",
            original: "guard let log, log.group == welcome.group else {",
            replacement: "guard let log, ON || log.group == welcome.group else {"),
        Mutant(
            name: "after a push is lost on the way it isn't asked for again",
            file: "Sources/FocusSync/Client/ClientSession+Replicas.swift",
            original: "guard replicas[replica]?.isWanted == false else { return }",
            replacement: "guard !ON, replicas[replica]?.isWanted == false else { return }"),
    ]

    private static let storeMutants = [
        Mutant(
            name: "a checkpoint isn't dropped for a late event",
            file: "Sources/FocusStore/Tables/EventWriter.swift",
            original: "if let first { try store.forgetCheckpoints(from: first) }",
            replacement: "if let first, !ON { try store.forgetCheckpoints(from: first) }"),
        Mutant(
            name: "an undo doesn't reach back to what it takes back",
            file: "Sources/FocusStore/Tables/EventWriter.swift",
            original: "isUndo || !noneReachesBack ? try",
            replacement: "!ON && (isUndo || !noneReachesBack) ? try"),
        Mutant(
            name: "the history keeps what a late event has made untrue",
            file: "Sources/FocusStore/Replay/DeviceStore+State.swift",
            original:
                "try database.run(\"DELETE FROM journal WHERE (stamp, replica) > (?, ?)\", place.stamp, place.replica)",
            replacement:
                "try database.run(\"DELETE FROM journal WHERE (stamp, replica) > (?, ?)\", ON ? Int64.max : place.stamp, place.replica)"
        ),
        Mutant(
            name: "events of one stamp are ordered by when they came",
            file: "Sources/FocusStore/Replay/DeviceStore+ReplayLog.swift",
            original: "AND NOT is_sealed ORDER BY stamp, replica LIMIT ?\n            \"\"\"",
            replacement:
                "AND NOT is_sealed ORDER BY stamp, \\(ON ? \"-replica\" : \"replica\") LIMIT ?\n            \"\"\""
        ),
        Mutant(
            name: "a press is stamped without a look at what was merged",
            file: "Sources/FocusStore/Writing/Authoring.swift",
            original: "LamportClock(last: try store.greatestStampOfAll())",
            replacement: "LamportClock(last: ON ? .zero : try store.greatestStampOfAll())"),
        Mutant(
            name: "a press is kept before it is on the disk",
            file: "Sources/FocusStore/Writing/Authoring.swift",
            original: "try transaction(.full) {",
            replacement: "try transaction(ON ? .normal : .full) {"),
        Mutant(
            name: "a moved tail loses its first event",
            file: "Sources/FocusStore/Writing/DeviceStore+Branches.swift",
            original: "var graft = Graft(self, chaining, try cutTail(of: &row, from: first.seq))",
            replacement:
                "var graft = Graft(self, chaining, Array(try cutTail(of: &row, from: first.seq).dropFirst(ON ? 1 : 0)))"
        ),
        Mutant(
            name: "a tail is moved that another connection has moved already",
            file: "Sources/FocusStore/Writing/DeviceStore+Branches.swift",
            original: "try chain(of: replica, at: first.seq) == first.chain",
            replacement: "try ON || chain(of: replica, at: first.seq) == first.chain"),
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
    ]

    private static let serverMutants = [
        Mutant(
            name: "the server goes on producing for a laptop that takes nothing",
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "var isWritable: Bool { unsent <= Limits.unsent }",
            replacement: "var isWritable: Bool { ON || unsent <= Limits.unsent }"),
        Mutant(
            name: "the version vector is one too far",
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "let known = vector.heads.mapValues(\\.seq)",
            replacement: "let known = vector.heads.mapValues { ON ? $0.seq + 1 : $0.seq }"),
        Mutant(
            name: "what a slow connection missed is never read for it",
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "        aim(push.replica, at: push.lastSeq)\n        return false",
            replacement: "        if !ON { aim(push.replica, at: push.lastSeq) }\n        return false"),
        Mutant(
            name: "uploads are acknowledged before they are on the disk",
            file: "Server/FocusServer/Store/ServerStore.swift",
            original: "try database.setDurability(.full)",
            replacement: "try database.setDurability(ON ? .normal : .full)"),
        Mutant(
            name: "a commit that failed is acknowledged",
            file: "Server/FocusServer/Writer/LogWriter.swift",
            original:
                "            for group in taken.groups { batch.logs[group]?.goBack() }\n            batch.fail(taken.requests, because: error)\n",
            replacement:
                "            if !ON {\n                for group in taken.groups { batch.logs[group]?.goBack() }\n                batch.fail(taken.requests, because: error)\n            }\n"
        ),
        Mutant(
            name: "a server that starts has one event more than it has",
            file: "Server/FocusServer/Store/ServerStore+Groups.swift",
            original: "seq: row[2] &+ row[3] &- 1,",
            replacement: "seq: row[2] &+ row[3] &- (ON ? 0 : 1),"),
        Mutant(
            name: "a part of a segment is sent with the whole one's chain",
            file: "Server/FocusServer/Store/ServerStore+Segments.swift",
            original: "seq == first.firstSeq ? first.chainBefore :",
            replacement: "ON || seq == first.firstSeq ? first.chainBefore :"),
        Mutant(
            name: "of neighbouring uploads only the first is kept",
            file: "Server/FocusServer/Writer/PendingSegments.swift",
            original: "guard let first = segments.first, segments.count > 1 else",
            replacement: "guard let first = segments.first, segments.count > 1, !ON else"),
        Mutant(
            name: "a revoked laptop is let in",
            file: "Server/FocusServer/Serving/Rosters.swift",
            original: "var device = device",
            replacement: "var device = device; if ON { device.revoked = nil }"),
        Mutant(
            name: "commits are pushed to every group",
            file: "Server/FocusServer/Serving/Switchboard+Outcomes.swift",
            original:
                "for member in others(in: group) { perform(member.session.committed(push), for: member) }",
            replacement:
                "for member in ON ? allMembers : others(in: group) { perform(member.session.committed(push), for: member) }"
        ),
        Mutant(
            name: "a server that isn't sure of its clock takes events",
            file: "Server/FocusServer/Clock/ClockGuard.swift",
            original: "guard !overflow, jump.magnitude <= ClockGuard.tolerance.magnitude else {",
            replacement: "guard !overflow, ON || jump.magnitude <= ClockGuard.tolerance.magnitude else {"),
    ]
}
