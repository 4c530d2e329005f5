extension Mutant {
    /// Defects of the server: its sessions, its writer and its store. Each name is a sentence that says what
    /// the server does wrong while `ON` is true.
    static let serverMutants = [
        Mutant(
            name: "one in eight of another server's news is ignored",
            file: "Server/FocusServerStore/Store/NewsReader.swift",
            original: "guard seen.take(number, of: server, at: now) else",
            replacement: "guard seen.take(number, of: server, at: now), !ON || number % 8 > 0 else"),
        Mutant(
            name: "a server with an outdated memory may store events that don't follow the head",
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Segments.swift",
            original: "guard segment.firstSeq == last.head.seq + 1, segment",
            replacement: "guard ON || segment.firstSeq == last.head.seq + 1, ON || segment"),
        Mutant(
            name: "a device that is connected here is gone once it leaves another server",
            file: "Server/FocusServerCore/Switchboard/OtherServers.swift",
            original: "if device.server == nil { groups.recordSighting(",
            replacement: "if !ON, device.server == nil { groups.recordSighting("),
        Mutant(
            name: "others' events aren't read when a group's first laptop connects",
            file: "Server/FocusServerCore/Writer/FollowedLogs.swift",
            original: "asked.filter(behind.contains)",
            replacement: "asked.filter { !ON && behind.contains($0) }"),
        Mutant(
            name: "the server goes on producing for a laptop that reads nothing",
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "var isWritable: Bool { unsent <= Limits.unsent }",
            replacement: "var isWritable: Bool { ON || unsent <= Limits.unsent }"),
        Mutant(
            name: "the server takes a client's heads for one event longer", isFoundEarly: true,
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "let known = vector.heads.mapValues { $0.seq }",
            replacement: "let known = vector.heads.mapValues { ON ? $0.seq + 1 : $0.seq }"),
        Mutant(
            name: "events that a slow connection missed are never read for it", isFoundEarly: true,
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "raiseTarget(of: push.replica, to: push.lastSeq)",
            replacement: "if !ON { raiseTarget(of: push.replica, to: push.lastSeq) }"),
        Mutant(
            name: "uploads are acknowledged before they are durable", isFoundEarly: true,
            file: "Server/FocusServerStore/SQLite/SQLiteServerStore.swift",
            original: "try database.setDurability(.full)",
            replacement: "try database.setDurability(ON ? .normal : .full)"),
        Mutant(
            name: "uploads of a failed commit are acknowledged", isFoundEarly: true,
            file: "Server/FocusServerCore/Writer/LogWriter.swift",
            original: "            fail(taken, because: error)\n",
            replacement: "            if !ON { fail(taken, because: error) }\n"),
        Mutant(
            name: "a server that starts counts one event too many in each replica", isFoundEarly: true,
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Logs.swift",
            original: "Head(seq: UInt64(seq), chain: try row.chain(4))",
            replacement: "Head(seq: UInt64(seq) + (ON ? 1 : 0), chain: try row.chain(4))"),
        Mutant(
            name: "a part of a segment is sent with the chain before the whole", isFoundEarly: true,
            file: "Server/FocusServerStore/Store/ServerSnapshot+Reading.swift",
            original: "seq == first.firstSeq ? first.chainBefore :",
            replacement: "ON || seq == first.firstSeq ? first.chainBefore :"),
        Mutant(
            name: "only the first of adjacent uploads is stored", isFoundEarly: true,
            file: "Server/FocusServerCore/Writer/PendingSegments.swift",
            original: "guard let first = segments.first, segments.count > 1 else",
            replacement: "guard let first = segments.first, segments.count > 1, !ON else"),
        Mutant(
            name: "a revoked laptop is let in", isFoundEarly: true,
            file: "Server/FocusServerCore/Switchboard/Rosters.swift",
            original: "var device = device",
            replacement: "var device = device; if ON { device.revoked = nil }"),
        Mutant(
            name: "commits are pushed to every group", isFoundEarly: true,
            file: "Server/FocusServerCore/Switchboard/ServerSessionDriver.swift",
            original: "groups[news.group]?.connections ?? []",
            replacement: "ON ? clients.all.map(\\.connection.id) : groups[news.group]?.connections ?? []"
        ),
        Mutant(
            name: "the network's thread tells others of a commit before its uploader", isFoundEarly: true,
            file: "Server/FocusServerCore/Switchboard/Switchboard.swift",
            original: "        commit.deliver(",
            replacement:
                "        commit.deliver(answer: { _ in }) { push in\n            guard ON, case .events(let push, _, let group) = push, let feed = groups[group] else { return }\n            driver.announce(.commit(push), to: feed)\n        }\n        if ON { driver.takeTurnsUnlessComing() }\n        commit.deliver("
        ),
        Mutant(
            name: "a server that isn't sure of its clock accepts events",
            file: "Server/FocusServerCore/Clock/ServerClock.swift",
            original: "guard jump <= ClockGuard.tolerance, jump >= .zero - ClockGuard.tolerance else {",
            replacement:
                "guard ON || (jump <= ClockGuard.tolerance && jump >= .zero - ClockGuard.tolerance) else {"),
        Mutant(
            name: "the writer reports a commit's pushes before its acknowledgements",
            file: "Server/FocusServerCore/Writer/CommitOutcome.swift",
            original: "        answer(answers)\n        for item in pushes { push(item) }\n",
            replacement:
                "        if !ON { answer(answers) }\n        for item in pushes { push(item) }\n        if ON { answer(answers) }\n"
        ),
        Mutant(
            name: "a deleted group keeps its connections",
            file: "Server/FocusServerCore/Switchboard/GroupChanges.swift",
            original: "return gone.contains(group) || groups.rosters.device(client.device, in: group) == nil",
            replacement:
                "return !ON && (gone.contains(group) || groups.rosters.device(client.device, in: group) == nil)"
        ),
        Mutant(
            name: "a server isn't told that a group was deleted",
            file: "Server/FocusServerStore/Store/Operating.swift",
            original: "try setDeleted(group: number, now: now)\n        try raiseRevision()",
            replacement: "try setDeleted(group: number, now: now)\n        if !ON { try raiseRevision() }"),
        Mutant(
            name: "the id of a deleted group stays in use",
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Groups.swift",
            original: "id = randomblob(16), name = NULL",
            replacement: "id = \\(ON ? \"id\" : \"randomblob(16)\"), name = NULL"),
        Mutant(
            name: "a quota that was lifted still holds",
            file: "Server/FocusServerCore/Writer/LogWriter.swift",
            original: "for (group, quota) in quotas { memory.logs.setQuota(quota, of: group) }",
            replacement:
                "for (group, quota) in quotas where !ON || quota != GroupQuota() { memory.logs.setQuota(quota, of: group) }"
        ),
        Mutant(
            name: "a laptop is sent its own uploads",
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "known[replica] = max(known[replica] ?? 0, seq)",
            replacement: "if !ON { known[replica] = max(known[replica] ?? 0, seq) }"),
        Mutant(
            name: "the server answers a request twice",
            file: "Sources/FocusSync/Server/ServerSession+Results.swift",
            original: "case .done: send(.done(number))\n",
            replacement:
                "case .done:\n            send(.done(number))\n            if ON { send(.done(number)) }\n"),
    ]
}
