import FocusCore
import FocusServerCore
import FocusServerStore

/// The server's thread that hears of other servers with the same database (`NewsWatch`). It reads after each
/// notice with a random delay, and once a second anyway. It posts the news to the other threads' mailboxes.
final class ServerNews {
    private unowned let machine: ServerMachine
    private let connection: SharedNewsConnection
    private let clock: ServerClock
    private let threads: ServerThreads
    private var hasEnded = false
    private lazy var poller = NewsPoller(
        reader, clock: clock, log: .silent,
        write: { [unowned self] in
            if case .shared(.news(let news, _)) = $0, news.isAll { machine.database?.reach("all read anew") }
            threads.post($0)
        }, tell: { [unowned self] in notices.post($0) })
    private let reader: NewsReader
    private lazy var notices = LateMailbox<NewsPoller.Notice>(
        after: { [unowned machine] in machine.after($0, $1) },
        delay: { [unowned machine] in machine.random(0...3_000) },
        receive: { [unowned machine] notices in
            for notice in notices { machine.running?.switchboard.handle(notice) }
        })

    init(
        _ machine: ServerMachine, _ connection: SharedNewsConnection, _ reader: NewsReader,
        _ threads: ServerThreads, _ clock: ServerClock
    ) {
        self.machine = machine
        (self.connection, self.reader, self.threads, self.clock) = (connection, reader, threads, clock)
    }

    /// The server's number.
    var server: Int64 { connection.server }

    func begin() {
        connection.didReceiveNotice = { [unowned self, unowned machine] in
            machine.after(machine.random(0...2_000)) { [weak self] in self?.readNews(isSure: false) }
        }
        refresh()
    }

    private func refresh() {
        guard !hasEnded else { return }
        readMore(poller.refresh())
        machine.after(NewsPoller.period.inMicroseconds) { [weak self] in self?.refresh() }
    }

    private func readNews(isSure: Bool) {
        guard !hasEnded else { return }
        readMore(poller.hear(isSure: isSure))
    }

    private func readMore(_ isMore: Bool) {
        guard isMore else { return }
        machine.after(machine.random(0...1_000)) { [weak self] in self?.readNews(isSure: true) }
    }

    /// Ends the thread when the server stops in good order.
    func end() {
        hasEnded = true
        poller.end()
    }

    /// Ends the thread when the server is killed.
    func kill() {
        hasEnded = true
        machine.database?.remove(connection)
    }
}
