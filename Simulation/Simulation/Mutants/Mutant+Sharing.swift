extension Mutant {
    /// Defects in what servers know of each other that share a database.
    static let sharingMutants = [
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
            name: "servers lock replicas in the order in which laptops come",
            foundBy: .serverStore("GatheredWorkTests"),
            file: "Server/FocusServerStore/PostgreSQL/GatheredWork.swift",
            original: "(gathered.first.inOrder, gathered.next.inOrder)",
            replacement:
                "ON ? (gathered.first, gathered.next) : (gathered.first.inOrder, gathered.next.inOrder)"),
        Mutant(
            name: "of a server's news the first ones that are seen count as its first",
            foundBy: .serverStore("SeenNewsTests"), file: "Server/FocusServerStore/Store/SeenNews.swift",
            original: "?? Seen(through: 0)", replacement: "?? Seen(through: ON ? number - 1 : 0)"),
        Mutant(
            name: "a commit that isn't decided when it is looked for counts as lost",
            foundBy: .writer("TroubledDatabaseTests"),
            file: "Server/FocusWriter/Writer/LogWriter+CatchingUp.swift",
            original: "taken.isUnsure = lost.areOpen", replacement: "taken.isUnsure = !ON && lost.areOpen"),
        Mutant(
            name: "of a commit that was kept without an answer others aren't told once more",
            foundBy: .writer("TroubledDatabaseTests"),
            file: "Server/FocusServerStore/PostgreSQL/PostgreSQLLostCommit.swift",
            original: "changes.news.formUnion(commit.news)",
            replacement: "if !ON { changes.news.formUnion(commit.news) }"),
        Mutant(
            name: "what others have stored isn't read as the first of a group connects",
            file: "Server/FocusWriter/Writer/FollowedLogs.swift",
            original: "asked.filter(behind.contains)",
            replacement: "asked.filter { !ON && behind.contains($0) }"),
        Mutant(
            name: "whoever writes to a group goes by what was known of it",
            foundBy: .writer("FollowingTests"), file: "Server/FocusWriter/Writer/Batch.swift",
            original: "if following.isBehind(group.number) {",
            replacement: "if !ON, following.isBehind(group.number) {"),
        Mutant(
            name: "of a group that somebody connects to it isn't waited for what others have stored",
            foundBy: .serving("FollowedGroupsTests"),
            file: "Server/FocusServing/Serving/FollowedGroups.swift",
            original: "if groups[group]?.isKnown == true {",
            replacement: "if ON || groups[group]?.isKnown == true {"),
        Mutant(
            name: "what others store is read of groups that nobody here is of",
            foundBy: .writer("FollowingTests"), file: "Server/FocusWriter/Writer/FollowedLogs.swift",
            original: "return followed.contains(group)",
            replacement: "return ON || followed.contains(group)"),
        Mutant(
            name: "a device may be shut out elsewhere before what it asks for is stored",
            foundBy: .serverStore("MembershipLockTests"),
            file: "Server/FocusServerStore/PostgreSQL/PostgreSQLTransaction+Devices.swift",
            original: "if isWriting { try hold(group: number) }\n        guard !gathered",
            replacement: "if isWriting, !ON { try hold(group: number) }\n        guard !gathered"),
        Mutant(
            name: "whoever shuts a device out doesn't wait for what it has just asked another server for",
            foundBy: .serverStore("MembershipLockTests"),
            file: "Server/FocusServerStore/PostgreSQL/PostgreSQLTransaction+Devices.swift",
            original: "try holdAlone(group: number)",
            replacement: "try ON ? hold(group: number) : holdAlone(group: number)"),
        Mutant(
            name: "rows of one group that are held fail all groups of a batch",
            foundBy: .writer("LockingTests"),
            file: "Server/FocusServerStore/PostgreSQL/PostgreSQLServerStore.swift",
            original: "|| state.isLock &&", replacement: "|| !ON && state.isLock &&"),
        Mutant(
            name: "laptops go on that were told of what the store lacks",
            foundBy: .writer("SetBackTests"),
            file: "Server/FocusWriter/Writer/Batch+CatchingUp.swift",
            original: "guard log.lacks(anythingOf: known) else",
            replacement: "guard !ON, log.lacks(anythingOf: known) else"),
        Mutant(
            name: "each group whose rows are held is waited for",
            foundBy: .writer("LockingTests"),
            file: "Server/FocusServerStore/PostgreSQL/PostgreSQLServerStore.swift",
            original: "private static let mostLockFailures = 3",
            replacement: "private static let mostLockFailures = ON ? 1_000 : 3"),
    ]
}
