/// A server's own connection to a shared store, for its heartbeat and for the news of other servers.
/// `NewsReader` decides when to ask and what follows. The connection belongs to one thread at a time, which
/// may block on the store.
package protocol NewsConnection: AnyObject {
    /// The server's number, which no other server has or had.
    var server: Int64 { get }

    /// The socket to watch: it becomes readable when another server has news. Nil if the connection is lost
    /// and `connect` must make another.
    var descriptor: Int32? { get }

    /// Replaces a lost connection. Nobody may still watch its socket.
    ///
    /// - Returns: Whether the store may lack data that it had, because an asynchronous standby took over or
    ///   an older state was restored.
    func connect() throws -> Bool

    /// Returns the notices received since the last call (`NewsNotice`), with this server's own, and removes
    /// them from the queue.
    func takeNotices() -> [String]

    /// Each server's number up to which no news is missing: its last number, or the one before its first gap.
    /// A gap counts only while its news may still appear (`NewsProgress.patience`).
    func marks() throws -> [NewsProgress.Mark]

    /// Reads the news of other servers beyond `seen`, up to a limit.
    ///
    /// - Parameter body: Receives each row, with its age by the store's clock.
    /// - Returns: Whether all of it was read; false if there may be more.
    func read(
        beyond seen: [NewsProgress.Mark],
        _ body: (_ server: Int64, _ number: Int64, _ news: StoreNews, _ delay: Duration) -> Void
    ) throws -> Bool

    /// Records that the server runs.
    ///
    /// - Returns: Whether the store still had it as running. False means that others may count it as gone.
    func beat() throws -> Bool

    /// Records that the server runs, although others counted it as gone.
    func addAgain() throws

    /// The number of running servers, and of gone servers that no server has reported yet.
    func count() throws -> (running: Int, gone: Int)

    /// Deletes old news of this server and of gone servers. The other servers have read it, or are so late
    /// that they read the whole store. The last old row of each server stays, so that a missing row after it
    /// can be noticed.
    func deleteOld() throws

    /// Records that the server ends, if it can reach the store.
    func end()
}

/// The notices that servers with a shared store send each other. Only rows in the store are news; a notice
/// only says that it is time to read them.
package enum NewsNotice {
    /// The notice that operators decided something, or that a server has ended.
    package static let ofOrdersOrEnd = ""

    /// The notice that a server has written the news with this number.
    package static func of(_ number: Int64, of server: Int64) -> String { "\(server)/\(number)" }

    /// Whether a notice is about this server's own news.
    static func isOwn(_ notice: String, of server: Int64) -> Bool { notice.hasPrefix("\(server)/") }
}
