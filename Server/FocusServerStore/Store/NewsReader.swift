package import FocusCore

/// A server among those that share a store: says that it is there, and reads what the others have changed, on a connection of
/// its own (`NewsLine`). It knows no database. It belongs to one thread at a time, which may wait for the store.
package final class NewsReader {
    private let line: any NewsLine
    private var seen: SeenNews
    /// How far servers' news were read, where there is more of them than is read at once.
    private var reached: [Int64: Int64] = [:]
    /// Whether anything may have changed, or be gone, and all of the store is to be read anew.
    private var isAnother = false
    /// Whether others took the server for gone, and nobody was told yet that it says again that it runs.
    private var wasGone = false
    /// How many servers ran at the last beat, this one among them.
    package private(set) var servers = 1

    /// What came of a look at what the others do.
    package struct Found: Sendable {
        /// What they have changed.
        package var news = StoreNews()
        /// How long ago each of these changes had been committed, by the store's clock.
        package var delays: [Duration] = []
        /// Whether operators may have decided something.
        package var areOrders = false
        /// Whether there is more to be read at once.
        package var isMore = false
    }

    /// How the servers stand.
    package struct Beat: Hashable, Sendable {
        /// Whether the others took this one for gone, so that they believe that nobody is connected here.
        package var wasGone = false
        /// Whether there are some that are gone and of which nobody has said so.
        package var areGone = false
    }

    /// A server starts, whose line listens already. What is read of the store from now on is all that was committed before, and
    /// what is committed later is news.
    ///
    /// - Throws: what the line throws.
    package init(_ line: any NewsLine, now: SteadyInstant) throws {
        self.line = line
        seen = SeenNews(try line.marks(), at: now)
    }

    /// The server's number, which no other has or had.
    package var server: Int64 { line.server }

    /// The socket that something is to be read from once another server has news; nil where the connection is gone and another
    /// one is to be made (`connect`).
    package var descriptor: Int32? { line.descriptor }

    /// Whether there is news by what was told, which may be wrong.
    ///
    /// - Returns: nil where nothing was told of others.
    package func hear() -> Found? {
        let notices = line.takeNotices().filter { !NewsNotice.isOwn($0, of: server) }
        guard !notices.isEmpty else { return nil }
        return Found(areOrders: notices.contains(NewsNotice.ofOrders))
    }

    /// Reads what the others have changed since it was read last, whether anybody told of it or not, or some of it.
    ///
    /// - Throws: what the line throws. What couldn't be read is read the next time.
    package func read(at now: SteadyInstant) throws -> Found {
        guard !isAnother else { return Found(news: try all(at: now)) }
        var found = Found()
        // What is behind a gap is read again each time, but not before all of it has been read once.
        let marks = seen.marks.map {
            SeenNews.Mark(server: $0.server, number: max($0.number, reached[$0.server] ?? 0))
        }
        let isAll = try line.read(beyond: marks) { server, number, news, delay in
            reached[server] = max(number, reached[server] ?? 0)
            guard seen.take(number, of: server, at: now) else { return }
            found.news.formUnion(news)
            found.delays.append(delay)
        }
        // What was told while it was read may be of what was committed too late for that.
        if let more = hear() { (found.areOrders, found.isMore) = (more.areOrders, true) }
        guard isAll else {
            found.isMore = true
            return found
        }
        reached = [:]
        guard seen.finish(at: now) else { return found }
        // Where that fails now, it is to be done the next time: what was found is taken for read.
        isAnother = true
        found.news = try all(at: now)
        return found
    }

    /// All may have changed: whatever comes from here on is news again.
    private func all(at now: SteadyInstant) throws -> StoreNews {
        seen = SeenNews(try line.marks(), at: now)
        (reached, isAnother) = ([:], false)
        return StoreNews(isAll: true)
    }

    /// Says that the server runs, and finds out which others don't.
    ///
    /// - Throws: what the line throws.
    package func beat() throws -> Beat {
        var beat = Beat()
        if try !line.beat() {
            // It may be done though the answer is lost.
            wasGone = true
            try line.addAgain()
        }
        if exchange(&wasGone, with: false) {
            beat.wasGone = true
            // Where the database was away, the others haven't had their turn yet either.
            return beat
        }
        let count = try line.count()
        (servers, beat.areGone) = (count.running, count.gone > 0)
        return beat
    }

    /// Deletes what nobody needs any more.
    ///
    /// - Throws: what the line throws.
    package func clean() throws { try line.deleteOld() }

    /// The server ends, and says so where it can.
    package func end() { line.end() }

    /// Makes another connection in the place of one that is gone, whose socket nobody may watch any more.
    ///
    /// - Throws: what the line throws.
    package func connect() throws { if try line.connect() { isAnother = true } }
}
