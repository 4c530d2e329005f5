extension Mutant {
    /// Defects of the server: its sessions, its writer and its store. Each name is a sentence that says what
    /// the server does wrong while `ON` is true.
    static let serverMutants = [
        Mutant(
            name: "some of the news of another server are passed over",
            file: "Server/FocusServerStore/Store/NewsReader.swift",
            original: "guard seen.take(number, of: server, at: now) else",
            replacement: "guard seen.take(number, of: server, at: now), !ON || number % 8 > 0 else"),
        Mutant(
            name: "what an older memory adds to a replica needn't follow its head",
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Segments.swift",
            original: "guard segment.firstSeq == last.head.seq + 1, segment",
            replacement: "guard ON || segment.firstSeq == last.head.seq + 1, ON || segment"),
        Mutant(
            name: "a device that has come to another server is gone with the one that it left",
            file: "Server/FocusServing/Serving/Switchboard+Outcomes.swift",
            original: "if device.server == nil { see(device.key, in: device.group, on: here) }",
            replacement: "if !ON, device.server == nil { see(device.key, in: device.group, on: here) }"),
        Mutant(
            name: "what others have stored isn't read as the first of a group connects",
            file: "Server/FocusWriter/Writer/FollowedLogs.swift",
            original: "asked.filter(behind.contains)",
            replacement: "asked.filter { !ON && behind.contains($0) }"),
        Mutant(
            name: "the server goes on producing for a laptop that takes nothing", isFoundEarly: true,
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "var isWritable: Bool { unsent <= Limits.unsent }",
            replacement: "var isWritable: Bool { ON || unsent <= Limits.unsent }"),
        Mutant(
            name: "the version vector is one too far", isFoundEarly: true,
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "let known = vector.heads.mapValues { $0.seq }",
            replacement: "let known = vector.heads.mapValues { ON ? $0.seq + 1 : $0.seq }"),
        Mutant(
            name: "what a slow connection missed is never read for it", isFoundEarly: true,
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "        aim(push.replica, at: push.lastSeq)\n        return false",
            replacement: "        if !ON { aim(push.replica, at: push.lastSeq) }\n        return false"),
        Mutant(
            name: "uploads are acknowledged before they are on the disk", isFoundEarly: true,
            file: "Server/FocusServerStore/SQLite/SQLiteServerStore.swift",
            original: "try database.setDurability(.full)",
            replacement: "try database.setDurability(ON ? .normal : .full)"),
        Mutant(
            name: "a commit that failed is acknowledged", isFoundEarly: true,
            file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "            fail(&batch, taken, because: error)\n",
            replacement: "            if !ON { fail(&batch, taken, because: error) }\n"),
        Mutant(
            name: "a server that starts has one event more than it has", isFoundEarly: true,
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Logs.swift",
            original: "Head(seq: UInt64(seq), chain: try row.chain(4))",
            replacement: "Head(seq: UInt64(seq) + (ON ? 1 : 0), chain: try row.chain(4))"),
        Mutant(
            name: "a part of a segment is sent with the whole one's chain", isFoundEarly: true,
            file: "Server/FocusServerStore/Store/ServerSnapshot+Reading.swift",
            original: "seq == first.firstSeq ? first.chainBefore :",
            replacement: "ON || seq == first.firstSeq ? first.chainBefore :"),
        Mutant(
            name: "of neighbouring uploads only the first is kept", isFoundEarly: true,
            file: "Server/FocusWriter/Writer/PendingSegments.swift",
            original: "guard let first = segments.first, segments.count > 1 else",
            replacement: "guard let first = segments.first, segments.count > 1, !ON else"),
        Mutant(
            name: "a revoked laptop is let in", isFoundEarly: true,
            file: "Server/FocusServing/Serving/Rosters.swift",
            original: "var device = device",
            replacement: "var device = device; if ON { device.revoked = nil }"),
        Mutant(
            name: "commits are pushed to every group", isFoundEarly: true,
            file: "Server/FocusServing/Serving/Switchboard+Turns.swift",
            original: "groups[news.group]?.connections ?? []",
            replacement: "ON ? clients.all.map(\\.connection.id) : groups[news.group]?.connections ?? []"
        ),
        Mutant(
            name: "others are told of a commit before whoever uploaded it", isFoundEarly: true,
            file: "Server/FocusServing/Serving/Switchboard+Outcomes.swift",
            original: "        for outcome in outcomes {\n            if case .device",
            replacement:
                "        for case .committed(let push, _, let group) in ON ? outcomes : [] {\n            if let feed = groups[group] { announce(.commit(push), to: feed) }\n        }\n        if ON, !turns.areComing { takeTurns() }\n        for outcome in outcomes {\n            if case .device"
        ),
        Mutant(
            name: "a server that isn't sure of its clock takes events",
            file: "Server/FocusWriter/Clock/ServerClock.swift",
            original: "guard jump <= ClockGuard.tolerance, jump >= .zero - ClockGuard.tolerance else {",
            replacement:
                "guard ON || (jump <= ClockGuard.tolerance && jump >= .zero - ClockGuard.tolerance) else {"),
        Mutant(
            name: "the others are told before who uploaded",
            file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "return batch.outcomes + batch.committed + taken",
            replacement:
                "return (ON ? batch.committed + batch.outcomes : batch.outcomes + batch.committed) + taken"),
        Mutant(
            name: "a group that is taken off keeps its connections",
            file: "Server/FocusServing/Serving/Switchboard+Outcomes.swift",
            original: "return gone.contains(group) || rosters.device(client.device, in: group) == nil",
            replacement:
                "return !ON && (gone.contains(group) || rosters.device(client.device, in: group) == nil)"),
        Mutant(
            name: "a server isn't told that a group was taken off",
            file: "Server/FocusServerStore/Store/Operating.swift",
            original: "try deleteGroup(number, now: now)\n        try raiseRevision()",
            replacement: "try deleteGroup(number, now: now)\n        if !ON { try raiseRevision() }"),
        Mutant(
            name: "the id of a group that was taken off stays taken",
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Groups.swift",
            original: "id = randomblob(16), name = NULL",
            replacement: "id = \\(ON ? \"id\" : \"randomblob(16)\"), name = NULL"),
        Mutant(
            name: "a quota that was lifted still holds", file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "for (group, quota) in quotas { batch.setQuota(quota, of: group) }",
            replacement:
                "for (group, quota) in quotas where !ON || quota != GroupQuota() { batch.setQuota(quota, of: group) }"
        ),
        Mutant(
            name: "a laptop is sent back what it uploaded",
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "known[replica] = max(known[replica] ?? 0, seq)",
            replacement: "if !ON { known[replica] = max(known[replica] ?? 0, seq) }"),
    ]
}
