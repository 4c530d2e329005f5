package import FocusCore

/// One of the servers that share a store. It sends this server's heartbeat and reads the changes of the
/// others, on a connection of its own (`NewsConnection`). It knows no database. It belongs to one thread at a
/// time, which may block on the store.
package final class NewsReader {
    private let connection: any NewsConnection
    /// The news read so far.
    private var seen: NewsProgress
    /// The last number read from each server in the present pass. A pass is a series of reads up to the first
    /// that leaves nothing unread. Empty between passes.
    private var reached: [Int64: Int64] = [:]
    /// Whether the whole store must be read again, as if it were another one: anything may have changed or be
    /// lost.
    private var isAnother = false
    /// Whether others counted this server as gone, and `beat` hasn't reported yet that it runs again.
    private var wasGone = false
    /// The number of running servers at the last heartbeat, with this one.
    package private(set) var servers = 1

    /// The result of reading the news of other servers.
    package struct Found: Sendable {
        /// The changes of the others.
        package var news = StoreNews()
        /// The ages of these changes since their commits, by the store's clock.
        package var delays: [Duration] = []
        /// Whether operators may have decided something.
        package var mayOrdersHaveChanged = false
        /// Whether the next read should follow at once.
        package var isMore = false
    }

    /// The result of a heartbeat.
    package struct Beat: Hashable, Sendable {
        /// Whether others counted this server as gone. Then they take its devices for disconnected.
        package var wasGone = false
        /// Whether there are gone servers that no server has reported yet.
        package var areGone = false
    }

    /// Starts reading for a server; `connection` listens already. A later read of the store contains
    /// everything that was committed before this. All later commits are news.
    ///
    /// - Throws: The errors of `connection`.
    package init(_ connection: any NewsConnection, now: SteadyInstant) throws {
        self.connection = connection
        seen = NewsProgress(try connection.marks(), at: now)
    }

    /// The server's number, which no other server has or had.
    package var server: Int64 { connection.server }

    /// The socket to watch: it becomes readable when another server has news. Nil if the connection is lost
    /// and `connect` must make another.
    package var descriptor: Int32? { connection.descriptor }

    /// Returns the content of the notices received since the last call. They may be wrong: only `read` reads
    /// the store.
    ///
    /// - Returns: Nil if no notice came from another server.
    package func hear() -> Found? {
        let notices = connection.takeNotices().filter { !NewsNotice.isOwn($0, of: server) }
        guard !notices.isEmpty else { return nil }
        return Found(mayOrdersHaveChanged: notices.contains(NewsNotice.ofOrdersOrEnd))
    }

    /// Reads the changes of other servers since the last read, up to a limit. It works with or without
    /// notices.
    ///
    /// - Throws: The errors of `connection`. The next call reads again what this one couldn't.
    package func read(at now: SteadyInstant) throws -> Found {
        guard !isAnother else { return Found(news: try all(at: now)) }
        var found = Found()
        // A pass begins at `seen.marks`, which lie before gaps, so it reads the rows after a gap again. Its
        // further reads continue after `reached`, so it reads each row once.
        let marks = seen.marks.map {
            NewsProgress.Mark(server: $0.server, number: max($0.number, reached[$0.server] ?? 0))
        }
        let isAll = try connection.read(beyond: marks) { server, number, news, delay in
            reached[server] = max(number, reached[server] ?? 0)
            guard seen.take(number, of: server, at: now) else { return }
            found.news.formUnion(news)
            found.delays.append(delay)
        }
        // A notice received meanwhile may be of a commit that this read didn't see.
        if let more = hear() {
            (found.mayOrdersHaveChanged, found.isMore) = (more.mayOrdersHaveChanged, true)
        }
        guard isAll else {
            found.isMore = true
            return found
        }
        reached = [:]
        guard seen.finish(at: now) else { return found }
        // If `all` fails, the next call must call it again: `seen` already counts the news of this read.
        isAnother = true
        found.news = try all(at: now)
        return found
    }

    /// Starts over at the present marks and reports that anything may have changed. All later commits are
    /// news again.
    private func all(at now: SteadyInstant) throws -> StoreNews {
        seen = NewsProgress(try connection.marks(), at: now)
        (reached, isAnother) = ([:], false)
        return StoreNews(isAll: true)
    }

    /// Records that the server runs, and looks for servers that don't.
    ///
    /// - Throws: The errors of `connection`.
    package func beat() throws -> Beat {
        var beat = Beat()
        if try !connection.beat() {
            // Set first: the next statement may take effect even if its answer is lost.
            wasGone = true
            try connection.addAgain()
        }
        if exchange(&wasGone, with: false) {
            beat.wasGone = true
            // If the database was unreachable, the other servers haven't sent their heartbeats yet either.
            // They must not count as gone.
            return beat
        }
        let count = try connection.count()
        (servers, beat.areGone) = (count.running, count.gone > 0)
        return beat
    }

    /// Deletes old news that no server needs any more.
    ///
    /// - Throws: The errors of `connection`.
    package func clean() throws { try connection.deleteOld() }

    /// Records that the server ends, if it can reach the store.
    package func end() { connection.end() }

    /// Replaces a lost connection. Nobody may still watch its socket.
    ///
    /// - Throws: The errors of `connection`.
    package func connect() throws { if try connection.connect() { isAnother = true } }
}
