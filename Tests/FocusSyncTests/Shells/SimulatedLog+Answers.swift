import FocusCore
import FocusSync

// The answers that every driver of a session takes from its log.
extension SimulatedLog {
    /// Performs an effect that concerns the log, and passes the result to the client's session.
    ///
    /// - Parameter replica: The replica that the device writes as. It may change to a branch.
    /// - Returns: The session's next effects; nil if the effect concerns something else.
    mutating func answer(
        _ effect: ClientEffect, to session: inout ClientSession, writingAs replica: inout ReplicaID,
        at now: SteadyInstant
    ) -> [ClientEffect]? {
        switch effect {
        case .caughtUp: return session.returned(vector, at: now)
        case .merge(let segment):
            let merge = merge(segment, admission: .all)
            return session.merged(segment.replica, head: merge.head.head, stop: merge.stop)
        case .read(let replica, let from, let bytes):
            return session.loaded(replica, read(replica, from: from, bytes: bytes))
        case .chains(let replica, let seqs): return session.chains(replica, heads(replica, at: seqs))
        case .moveBranch(let parted, let first):
            if let branch = moveBranch(parted, from: first.seq), parted == replica { replica = branch }
            return session.moved(parted, vector)
        default: return nil
        }
    }

    /// Passes the result of a read to the server's session.
    ///
    /// - Returns: The session's next effects; nil if the effect concerns something else.
    func answer(_ effect: ServerEffect, to session: inout ServerSession) -> [ServerEffect]? {
        switch effect {
        case .read(let replica, let from, let bytes):
            session.loaded(
                replica, read(replica, from: from, bytes: bytes), head: head(replica).head.seq)
        case .chains(let replica, let seqs): session.chains(replica, heads(replica, at: seqs))
        default: nil
        }
    }
}
