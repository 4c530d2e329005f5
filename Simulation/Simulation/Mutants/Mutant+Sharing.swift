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
            foundBy: .writer("TroubledDatabaseTests"), file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "taken.isUnsure = lost.areOpen", replacement: "taken.isUnsure = !ON && lost.areOpen"),
        Mutant(
            name: "of a commit that was kept without an answer others aren't told once more",
            foundBy: .writer("TroubledDatabaseTests"),
            file: "Server/FocusServerStore/PostgreSQL/PostgreSQLLostCommit.swift",
            original: "changes.news.formUnion(commit.news)",
            replacement: "if !ON { changes.news.formUnion(commit.news) }"),
    ]
}
