/// Reads from the store what a connection lacks that joined or fell behind. It sees each commit as soon as it is made.
package final class LogReader {
    private let store: ServerStore
    private let log: Log

    /// A reader of this store.
    package init(_ store: consuming ServerStore, log: Log) {
        self.store = store
        self.log = log
    }

    /// What was asked for; nil where it can't be found out and nobody waits for it.
    package func answer(_ request: ReaderRequest) -> ReaderAnswer? {
        do {
            return try store.read { try find(request) }
        } catch {
            log.write(.error, "read-failed", ["error": "\(error)"])
            switch request {
            case .events(_, _, _, _, let connection), .chains(_, _, _, let connection),
                .epochs(_, _, let connection):
                return .failed(to: connection)
            case .orders: return nil
            }
        }
    }

    private func find(_ request: ReaderRequest) throws -> ReaderAnswer {
        switch request {
        case .events(let replica, let seq, let bytes, let group, let connection):
            .events(
                replica, try store.events(of: replica, from: seq, bytes: bytes, in: group),
                head: try store.lastSeq(of: replica, in: group), to: connection)
        case .chains(let replica, let seqs, let group, let connection):
            .chains(replica, try store.chains(of: replica, at: seqs, in: group), to: connection)
        case .epochs(let known, let group, let connection):
            .epochs(try store.epochs(of: group.number, except: Set(known)), to: connection)
        case .orders: .orders(try store.orders())
        }
    }
}
