/// A server's own connection to a store that several share, by which it says that it is there and is told of the others. What
/// is asked when, and what follows from it, `NewsReader` decides. It belongs to one thread at a time, which may wait for the
/// store.
package protocol NewsLine: AnyObject {
    /// The server's number, which no other has or had.
    var server: Int64 { get }

    /// The socket that something is to be read from once another server has news; nil where the connection is gone and another
    /// one is to be made (`connect`).
    var descriptor: Int32? { get }

    /// Makes another connection in the place of one that is gone, whose socket nobody may watch any more.
    ///
    /// - Returns: whether the store may lack by now what it had: a standby that nobody waited for has taken over, or what was
    ///   there at an earlier time was restored.
    func connect() throws -> Bool

    /// Takes what was told since it was taken last (`NewsNotice`), this server's own included.
    func takeNotices() -> [String]

    /// Up to which number each server's news are there: the last one, or the one before the first that is missing and may yet
    /// turn up (`SeenNews.patience`).
    func marks() throws -> [SeenNews.Mark]

    /// Reads what there is beyond `seen` of other servers' news, some of it at most.
    ///
    /// - Parameter body: is given each, with how long ago it was written, by the store's clock.
    /// - Returns: whether that was all.
    func read(
        beyond seen: [SeenNews.Mark],
        _ body: (_ server: Int64, _ number: Int64, _ news: StoreNews, _ delay: Duration) -> Void
    ) throws -> Bool

    /// The server runs.
    ///
    /// - Returns: whether nobody has taken it for gone.
    func beat() throws -> Bool

    /// A server that was taken for gone runs all the same.
    func addAgain() throws

    /// How many servers run, and how many are gone of which nobody has said so.
    func count() throws -> (running: Int, gone: Int)

    /// Deletes this server's news that all have read or are too late for, and those of servers that are gone, but for the last
    /// of these: so what is missing after it shows.
    func deleteOld() throws

    /// The server ends, and says so where it can.
    func end()
}

/// What servers that share a store tell each other. Only what stands in the store is news; a notice just says that it is time
/// to look.
package enum NewsNotice {
    /// Operators decided something, or a server has ended.
    package static let ofOrders = ""

    /// A server has news of this number.
    package static func of(_ number: Int64, of server: Int64) -> String { "\(server)/\(number)" }

    /// Whether a notice is of this server's own news.
    static func isOwn(_ notice: String, of server: Int64) -> Bool { notice.hasPrefix("\(server)/") }
}
