/// What rows take of the store's file, with what SQLite needs beside them: so a group's limit of bytes bounds its part of
/// the disk also where each upload is one event. Measured; a row takes a twentieth more than this at most.
package enum StoredSize {
    /// A page of the file, in bytes.
    private static let page = 4_096
    /// What a row of events has beside the packed events: its other columns, and its place in the index, in bytes.
    private static let row = 104
    /// The least that a row leaves in a page of its table where the rest is on pages of its own, in bytes.
    private static let least = 512
    /// What an epoch's record has beside its body, in bytes.
    private static let record = 128
    /// The longest body of a record that takes no page of its own, in bytes.
    private static let shortBody = 256

    /// What a row of so many bytes of packed events takes: as many whole pages as it fills, and for the rest its share of
    /// one that holds as many such rows as fit.
    package static func row(packed: Int) -> Int {
        let bytes = row + packed
        let pages = bytes / page
        let rest = max(bytes % page, pages > 0 ? least : 1)
        return pages * page + (rest > page / 2 ? page : page / (page / rest))
    }

    /// `row(packed:)` in SQL, of a column's length: the server counts what it has as it starts.
    static let rowInSQL = """
        (length(packed) + \(row)) / \(page) * \(page)
            + CASE WHEN (length(packed) + \(row)) % \(page) > \(page / 2) THEN \(page)
                ELSE \(page) / (\(page) / max((length(packed) + \(row)) % \(page),
                    iif(length(packed) + \(row) >= \(page), \(least), 1))) END
        """

    /// What the record of an epoch takes with a body of so many bytes. Those without are few and short, and count nothing.
    static func record(body: Int) -> Int {
        body == 0 ? 0 : body + record + (body > shortBody ? page : 0)
    }
}
