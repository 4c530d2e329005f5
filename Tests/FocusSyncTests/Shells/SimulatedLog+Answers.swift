import FocusCore
import FocusSync

// What any shell around a session answers from its log, whatever else it keeps.
extension SimulatedLog {
    /// Does for a client's session what is about the log, and tells it so.
    ///
    /// - Parameter replica: what the device writes as, which may move to a branch.
    /// - Returns: what the session wants then; nil where the effect is about something else.
    mutating func answer(
        _ effect: ClientEffect, to session: inout ClientSession, writingAs replica: inout ReplicaID,
        at now: SteadyInstant
    ) -> [ClientEffect]? {
        switch effect {
        case .caughtUp: return session.returned(.all(vector), at: now)
        case .merge(let segment):
            let merge = merge(segment, admission: .all)
            return session.merged(segment.replica, head: merge.head.head, stop: merge.stop)
        case .read(let replica, let from, let bytes):
            return session.loaded(replica, read(replica, from: from, bytes: bytes))
        case .chains(let replica, let seqs): return session.chains(replica, heads(replica, at: seqs))
        case .moveBranch(let parted, let first):
            if let branch = moveBranch(parted, from: first.seq), parted == replica { replica = branch }
            return session.moved(parted, .all(vector))
        default: return nil
        }
    }

    /// Answers what a server's session reads.
    ///
    /// - Returns: what the session wants then; nil where the effect is about something else.
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
