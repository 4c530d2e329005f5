package import FocusCore
package import FocusServerStore
package import FocusSync
package import FocusWriter

extension WriterOutcome {
    /// The answer to an upload: the head's seq, and the reason for which the merge stopped.
    package var ack: (seq: UInt64, stop: RefusalCode?)? {
        if case .merged(_, let head, let stop, _) = self { (head.seq, stop?.code) } else { nil }
    }

    /// The tally of a batch, which answers nobody.
    package var tally: BatchTally? {
        if case .batch(let tally) = self { tally } else { nil }
    }

    /// The record of an epoch that is new in its group.
    package var addedEpoch: EpochRecord? {
        if case .epochAdded(let record, _, _) = self { record } else { nil }
    }

    /// The connection that it ends.
    package var ended: ConnectionID? {
        if case .ended(_, let connection) = self { connection } else { nil }
    }

    /// The connection that no longer has to wait for other servers' changes.
    package var caughtUp: ConnectionID? {
        if case .caughtUp(let connection) = self { connection } else { nil }
    }

    package var push: EncodedPush? {
        if case .committed(let push, _, _) = self { push } else { nil }
    }

    package var device: StoredDevice? {
        if case .device(let device) = self { device } else { nil }
    }

    package var enrolled: Enrolled? {
        if case .enrolled(let enrolled, _) = self { enrolled } else { nil }
    }

    /// The answer to a request for the group, and the request's number.
    package var answer: (number: RequestNumber, answer: GroupAnswer)? {
        if case .answered(let number, let answer, _) = self { (number, answer) } else { nil }
    }

    /// The code of the refusal, if the request was refused.
    package var refusal: RefusalCode? {
        switch self {
        case .ended(let refusal, _), .answered(_, .refused(let refusal), _): refusal.code
        default: nil
        }
    }
}

extension Sequence<WriterOutcome> {
    /// The heads' seqs in the answers to uploads.
    package var seqs: [UInt64] { compactMap(\.ack).map(\.seq) }

    /// The reasons for which merges stopped, in the answers to uploads.
    package var stops: [RefusalCode?] { compactMap(\.ack).map(\.stop) }
}
