import FocusCore
import FocusNet
import FocusSync
import SQLiteKit

/// What the reader is asked for.
enum ReaderRequest: Sendable {
    /// A replica's events from a seq on, about so many packed bytes.
    case events(ReplicaID, from: UInt64, bytes: Int, GroupLog.Name, to: ConnectionID)
    /// A replica's chains at these seqs.
    case chains(ReplicaID, at: [UInt64], GroupLog.Name, to: ConnectionID)
    /// The group's epoch records but these.
    case epochs(except: [EpochID], GroupLog.Name, to: ConnectionID)
    /// Whether another process has changed what a running server must act on.
    case revision
}

/// What the reader found.
enum ReaderAnswer: Sendable {
    /// The events, nil where there are none, and the replica's last seq.
    case events(ReplicaID, Segment?, head: UInt64, to: ConnectionID)
    case chains(ReplicaID, [Head], to: ConnectionID)
    case epochs([EpochRecord], to: ConnectionID)
    case revision(Int64)
    /// The store could not be read.
    case failed(to: ConnectionID)
}

/// Reads from the store what a connection lacks that joined or fell behind. It sees each commit as soon as it is
/// made, and delays neither the writer nor the network.
actor Reader {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: ServerStore
    private let log: Log
    private let deliver: @Sendable (ReaderAnswer) -> Void

    /// Opens the store for reading.
    ///
    /// - Parameter deliver: is given each answer, on the reader's thread.
    init(
        loop: EventLoop, storePath: String, log: Log, deliver: @escaping @Sendable (ReaderAnswer) -> Void
    ) throws {
        self.loop = loop
        self.log = log
        self.deliver = deliver
        store = try ServerStore(at: storePath, access: .readOnly)
    }

    /// Where requests are left for the reader, from any thread.
    nonisolated func mailbox() -> Mailbox<ReaderRequest> {
        Mailbox(on: loop) { [weak self] requests in
            self?.assumeIsolated { reader in
                for request in requests { reader.answer(request) }
            }
        }
    }

    private func answer(_ request: ReaderRequest) {
        do {
            deliver(try store.read { try find(request) })
        } catch {
            log.write(.error, "read-failed", ["error": "\(error)"])
            switch request {
            case .events(_, _, _, _, let connection), .chains(_, _, _, let connection),
                .epochs(_, _, let connection):
                deliver(.failed(to: connection))
            case .revision: break
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
        case .revision: .revision(try store.revision())
        }
    }
}
