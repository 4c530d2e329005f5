import FocusColumns
import FocusCore
import FocusSync
import PostgreSQLKit

extension StoreCheck {
    /// Checks the whole store in PostgreSQL. Doesn't check the database's files. Takes time in proportion to
    /// the store's bytes.
    package init(_ store: PostgreSQLServerStore) throws {
        self.init()
        try store.snapshot { store in
            // The check may take any time, because nobody waits for it.
            let patience = store.connection.patience
            store.connection.patience = .seconds(86_400)
            defer { store.connection.patience = patience }
            try store.connection.send("SET LOCAL statement_timeout = 0")
            do {
                try checkReferences(store)
                let logs = try store.logs().values.sorted { $0.number < $1.number }
                groups = logs.count
                try checkRosters(logs, store)
                let found = try checkSegments(logs, store)
                for log in logs { checkHeads(log, found) }
            } catch let damage as RowCorruption {
                problems.append(.row(damage))
            }
        }
    }

    /// Looks for rows of groups that don't exist, and for keys that differ between `homes` and the proved
    /// devices.
    private mutating func checkReferences(_ store: PostgreSQLTransaction) throws {
        for table in ["rosters", "devices", "brought", "epochs", "heads", "segments", "homes"] {
            let other =
                table == "homes"
                ? "devices WHERE devices.group_number = homes.group_number AND devices.key = homes.key AND proved"
                : "groups WHERE number = group_number"
            let count: Int? = try store.first(
                "SELECT count(*) FROM \(table) WHERE NOT EXISTS (SELECT 1 FROM \(other))"
            ) { $0[0] }
            if let count, count > 0 { problems.append(.strayRows(table: table, count: count)) }
        }
        let homeless: Int? = try store.first(
            """
            SELECT count(*) FROM devices WHERE proved AND NOT EXISTS
                (SELECT 1 FROM homes WHERE homes.key = devices.key AND homes.group_number = devices.group_number)
            """
        ) { $0[0] }
        if let homeless, homeless > 0 { problems.append(.homeless(homeless)) }
    }

    /// Checks that the counts in `rosters` equal the numbers of rows in `devices`.
    private mutating func checkRosters(_ logs: [GroupIndex], _ store: PostgreSQLTransaction) throws {
        var (counted, kept): ([Int64: RosterSize], [Int64: RosterSize]) = ([:], [:])
        try store.forEach("SELECT group_number, proved, revoked IS NOT NULL FROM devices") { row in
            counted[row[0], default: RosterSize()].count(isProved: row[1], isRevoked: row[2])
        }
        try store.forEach(
            "SELECT group_number, proved, proved_revoked, listed, listed_revoked FROM rosters"
        ) { row in
            kept[row[0]] = RosterSize(
                proved: row[1], provedRevoked: row[2], listed: row[3], listedRevoked: row[4])
        }
        for log in logs {
            let (kept, there) = (kept[log.number] ?? RosterSize(), counted[log.number] ?? RosterSize())
            guard kept != there else { continue }
            problems.append(.miscounted(log.group, counts: kept, rows: there))
        }
    }
}
