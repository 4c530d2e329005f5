package import FocusCore

/// Which news of other servers were read, and which are to be read next. It knows no database: rows come in any order, twice or
/// late, and each counts once.
///
/// A server numbers its news as it commits them, one after the other. A number is passed over only where nobody knows whether
/// its commit was kept. It may yet turn up, so the ones behind it are read again until it does; where it doesn't for as long
/// as `patience`, whatever it may have said is found by reading everything anew.
///
/// Every server begins with number 1, and of the rows that are old enough to be deleted the last one stays: so it shows where
/// something is missing, also of a server that nobody has read anything of yet.
package struct SeenNews: Hashable, Sendable {
    /// What was seen of one server.
    private struct Seen: Hashable {
        /// All up to this number was.
        var through: Int64
        /// And these beyond it, after a gap.
        var beyond: Set<Int64> = []
        /// Since when the gap is there.
        var gap: SteadyInstant?
    }

    /// From where on one server's news are to be read.
    package struct Mark: Hashable, Sendable {
        /// The server's number.
        package let server: Int64
        /// The last number that needn't be read.
        package let number: Int64

        /// News of this server beyond this number.
        package init(server: Int64, number: Int64) { (self.server, self.number) = (server, number) }
    }

    private var servers: [Int64: Seen] = [:]
    /// When all there was had been read last.
    private var read: SteadyInstant

    /// A number that doesn't turn up is waited for for so long.
    package static let patience = Duration.seconds(60)
    /// News are kept for so long.
    package static let kept = Duration.seconds(600)
    /// Who hasn't read for so long may have missed some. Far less than they are kept for: their time is when they were
    /// written, and they are there to be read only after that.
    static let absence = Duration.seconds(300)

    /// Everything was read at `now`; of these servers there were news by then, none of which is missing up to these numbers.
    package init(_ marks: [Mark] = [], at now: SteadyInstant) {
        read = now
        for mark in marks { servers[mark.server] = Seen(through: mark.number) }
    }

    /// From where on to read, by servers; from the first on of who isn't among them.
    package var marks: [Mark] {
        servers.map { Mark(server: $0.key, number: $0.value.through) }.sorted { $0.server < $1.server }
    }

    /// A row was read.
    ///
    /// - Returns: whether it is new.
    package mutating func take(_ number: Int64, of server: Int64, at now: SteadyInstant) -> Bool {
        // A server that wasn't there has begun since, with number 1: what comes before this row may yet turn up.
        var seen = servers[server] ?? Seen(through: 0)
        defer { servers[server] = seen }
        guard number > seen.through, seen.beyond.insert(number).inserted else { return false }
        while seen.beyond.remove(seen.through + 1) != nil { seen.through += 1 }
        seen.gap = seen.beyond.isEmpty ? nil : seen.gap ?? now
        return true
    }

    /// All there was has been read at `now`.
    ///
    /// - Returns: whether something may have been missed all the same, so that everything has to be read anew.
    package mutating func finish(at now: SteadyInstant) -> Bool {
        defer { read = now }
        var isMissing = now - read >= SeenNews.absence
        for (server, seen) in servers {
            guard let gap = seen.gap, now - gap >= SeenNews.patience, let last = seen.beyond.max() else {
                continue
            }
            servers[server] = Seen(through: last)
            isMissing = true
        }
        return isMissing
    }
}
