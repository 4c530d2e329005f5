extension Mutant {
    /// Defects in the server.
    static let serverMutants = [
        Mutant(
            name: "the server goes on producing for a laptop that takes nothing",
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "var isWritable: Bool { unsent <= Limits.unsent }",
            replacement: "var isWritable: Bool { ON || unsent <= Limits.unsent }"),
        Mutant(
            name: "the version vector is one too far",
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "let known = vector.heads.mapValues { $0.seq }",
            replacement: "let known = vector.heads.mapValues { ON ? $0.seq + 1 : $0.seq }"),
        Mutant(
            name: "what a slow connection missed is never read for it",
            file: "Sources/FocusSync/Server/OutgoingEvents.swift",
            original: "        aim(push.replica, at: push.lastSeq)\n        return false",
            replacement: "        if !ON { aim(push.replica, at: push.lastSeq) }\n        return false"),
        Mutant(
            name: "uploads are acknowledged before they are on the disk",
            file: "Server/FocusServerStore/SQLite/SQLiteServerStore.swift",
            original: "try database.setDurability(.full)",
            replacement: "try database.setDurability(ON ? .normal : .full)"),
        Mutant(
            name: "a commit that failed is acknowledged",
            file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "            fail(&batch, taken, because: error)\n",
            replacement: "            if !ON { fail(&batch, taken, because: error) }\n"),
        Mutant(
            name: "a server that starts has one event more than it has",
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Logs.swift",
            original: "Head(seq: UInt64(seq), chain: try row.chain(4))",
            replacement: "Head(seq: UInt64(seq) + (ON ? 1 : 0), chain: try row.chain(4))"),
        Mutant(
            name: "a segment counts as stored though its replica's row stands elsewhere",
            foundBy: .serverStore("PostgreSQLStoreTests"),
            file: "Server/FocusServerStore/PostgreSQL/PostgreSQLTransaction+Logs.swift",
            original:
                "guard rows.changed == 1 else { throw StaleMemory(group: number, replica: segment.replica)",
            replacement:
                "guard ON || rows.changed == 1 else { throw StaleMemory(group: number, replica: segment.replica)"
        ),
        Mutant(
            name: "a server tells its own record of an epoch, whatever another one has stored",
            foundBy: .writer("SharedStoreTests"),
            file: "Server/FocusServerStore/PostgreSQL/PostgreSQLTransaction+Logs.swift",
            original: "guard rows.changed == 1 else { throw StaleMemory(group: number, replica: nil)",
            replacement: "guard ON || rows.changed == 1 else { throw StaleMemory(group: number, replica: nil)"
        ),
        Mutant(
            name: "nobody is told that what came lately is in its place",
            foundBy: .serverStore("MovingConformanceTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Segments.swift",
            original: "guard !recent.isMarked else { return }",
            replacement: "guard !recent.isMarked, !ON else { return }"),
        Mutant(
            name: "what came lately isn't read after what is in its place",
            foundBy: .serverStore("MovingConformanceTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Segments.swift",
            original: "where goesOn && left > 0 && row.segment.firstSeq > seq {",
            replacement: "where !ON && goesOn && left > 0 && row.segment.firstSeq > seq {"),
        Mutant(
            name: "what came lately is sent before what was asked for",
            foundBy: .serverStore("LogConformanceTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Segments.swift",
            original: "left > 0 && row.segment.firstSeq > seq",
            replacement: "left > 0 && (ON || row.segment.firstSeq > seq)"),
        Mutant(
            name: "a row that others join keeps the chain that it had",
            foundBy: .serverStore("MovingConformanceTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Segments.swift",
            original: "row.segment.count, row.head.stamp, row.head.head.chain, row.segment.packed, id)",
            replacement:
                "row.segment.count, row.head.stamp, ON ? row.segment.chainBefore : row.head.head.chain, row.segment.packed, id)"
        ),
        Mutant(
            name: "what came lately between rows that go to their place goes with them",
            foundBy: .serverStore("MovingConformanceTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Segments.swift",
            original: "while let next = numbers.first, next == last + 1 {",
            replacement: "while let next = numbers.first, ON || next == last + 1 {"),
        Mutant(
            name: "what is left to count waits for the next event", foundBy: .serving("UncountedTests"),
            file: "Server/FocusServing/Serving/Switchboard.swift",
            original: "if sightings.isDue || !isAllCounted { storeSightings() }",
            replacement: "if sightings.isDue || !ON && !isAllCounted { storeSightings() }"),
        Mutant(
            name: "what was undone is taken for what came lately",
            foundBy: .serverStore("MovingConformanceTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteServerStore.swift",
            original: "return try database.part(body)\n        } catch {\n            store.recent.forget()",
            replacement:
                "return try database.part(body)\n        } catch {\n            if !ON { store.recent.forget() }"
        ),
        Mutant(
            name: "what a deleted group did lately stays", foundBy: .serverStore("CompactingTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Groups.swift",
            original: "if try deleteRecent(ofGroup: number) { return true }",
            replacement: "if try !ON && deleteRecent(ofGroup: number) { return true }"),
        Mutant(
            name: "a part of a segment is sent with the whole one's chain",
            file: "Server/FocusServerStore/Store/ServerSnapshot+Reading.swift",
            original: "seq == first.firstSeq ? first.chainBefore :",
            replacement: "ON || seq == first.firstSeq ? first.chainBefore :"),
        Mutant(
            name: "of neighbouring uploads only the first is kept",
            file: "Server/FocusWriter/Writer/PendingSegments.swift",
            original: "guard let first = segments.first, segments.count > 1 else",
            replacement: "guard let first = segments.first, segments.count > 1, !ON else"),
        Mutant(
            name: "a revoked laptop is let in",
            file: "Server/FocusServing/Serving/Rosters.swift",
            original: "var device = device",
            replacement: "var device = device; if ON { device.revoked = nil }"),
        Mutant(
            name: "commits are pushed to every group",
            file: "Server/FocusServing/Serving/Switchboard+Turns.swift",
            original: "groups[news.group]?.connections ?? []",
            replacement: "ON ? clients.all.map(\\.connection.id) : groups[news.group]?.connections ?? []"
        ),
        Mutant(
            name: "others are told of a commit before whoever uploaded it",
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
    ]
}
