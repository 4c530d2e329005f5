import FocusCore
import FocusServerStore

/// A server's connection to the shared database for other servers' news, from one start of the server to its
/// end.
final class SharedNewsConnection: NewsConnection {
    private unowned let database: SharedDatabase
    unowned let machine: ServerMachine
    let server: Int64
    private var isConnected = true
    private var notices: [String] = []
    /// Called when a notice has arrived.
    var didReceiveNotice: () -> Void = {}

    /// The number of rows that are read at once.
    private static let batchSize = 40

    init(_ database: SharedDatabase, _ machine: ServerMachine, _ server: Int64) {
        self.database = database
        self.machine = machine
        self.server = server
    }

    private var now: Int64 { database.world.now }

    /// Breaks the connection because the database can't be reached. Notices are lost meanwhile.
    func disconnect() {
        isConnected = false
        notices = []
    }

    /// Receives a notice.
    func receive(_ notice: String) {
        guard isConnected else { return }
        notices.append(notice)
        didReceiveNotice()
    }

    /// A placeholder, 0, while the connection can be used; otherwise nil.
    var descriptor: Int32? { isConnected ? 0 : nil }

    func connect() throws -> Bool {
        try database.requireReachable(by: machine.index)
        isConnected = true
        return false
    }

    private func requireConnection() throws {
        try database.requireReachable(by: machine.index)
        guard isConnected else { throw SharedStoreTrouble.lost }
    }

    func takeNotices() -> [String] {
        defer { notices = [] }
        return notices
    }

    func marks() throws -> [NewsProgress.Mark] {
        try requireConnection()
        return database.rows.servers.keys.sorted().compactMap { server in
            guard let news = database.rows.news[server], let last = news.last else { return nil }
            return NewsProgress.Mark(server: server, number: numberBeforeGap(in: news) ?? last.number)
        }
    }

    /// Returns the number before the first missing number that may still appear, or nil if no number is
    /// missing.
    private func numberBeforeGap(in news: [SharedRows.News]) -> Int64? {
        var before: Int64 = 0
        for row in news {
            if row.number > before + 1, row.written > now - NewsProgress.patience.inMicroseconds {
                return before
            }
            before = row.number
        }
        return nil
    }

    func read(
        beyond seen: [NewsProgress.Mark],
        _ body: (_ server: Int64, _ number: Int64, _ news: StoreNews, _ delay: Duration) -> Void
    ) throws -> Bool {
        try requireConnection()
        let known = Dictionary(uniqueKeysWithValues: seen.map { ($0.server, $0.number) })
        var left = SharedNewsConnection.batchSize
        for other in database.rows.servers.keys.sorted() where other != server {
            for row in database.rows.news[other] ?? [] where row.number > known[other] ?? 0 {
                guard left > 0 else { return false }
                left -= 1
                database.recordRead(row.number, of: other, by: server)
                body(other, row.number, row.news, .microseconds(now - row.written))
            }
        }
        return left > 0
    }

    func beat() throws -> Bool {
        try requireConnection()
        guard database.rows.isRunning(server, at: now) else { return false }
        database.rows.servers[server]?.seen = now
        return true
    }

    func addAgain() throws {
        try requireConnection()
        database.reach("taken for gone")
        database.rows.servers[server] = SharedRows.Server(place: "server\(machine.index)", seen: now)
    }

    func count() throws -> (running: Int, gone: Int) {
        try requireConnection()
        let rows = database.rows
        return (rows.servers.keys.count { rows.isRunning($0, at: now) }, rows.gone(at: now).count)
    }

    func deleteOld() throws {
        try requireConnection()
        let old = now - NewsProgress.retention.inMicroseconds
        for (other, row) in database.rows.servers where other == server || row.ended != nil {
            if let last = database.rows.news[other]?.last(where: { $0.written < old }) {
                database.rows.news[other]?.removeAll { $0.number < last.number }
            }
            if let ended = row.ended, ended < now - .minutes(24 * 60) {
                database.rows.servers[other] = nil
                database.rows.news[other] = nil
            }
        }
    }

    func end() {
        defer { database.remove(self) }
        guard isConnected else { return }
        isConnected = false
        // Long ago, so that this server counts as gone at once.
        database.rows.servers[server]?.seen = .min / 2
        database.notify(NewsNotice.ofOrdersOrEnd)
    }
}
