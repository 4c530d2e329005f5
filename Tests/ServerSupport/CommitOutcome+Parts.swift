package import FocusCore
package import FocusServerCore
package import FocusServerStore
package import FocusSync

extension WriterOutcome {
    /// The answer to an upload: the head's seq, and the reason for which the merge stopped.
    package var ack: (seq: UInt64, stop: RefusalCode?)? {
        if case .merged(_, let head, let stop, _) = self { (head.seq, stop?.code) } else { nil }
    }

    /// The record of an epoch that is new in its group.
    package var addedEpoch: EpochRecord? {
        if case .epochAdded(let record, _, _) = self { record } else { nil }
    }

    /// The connection that it ends.
    package var ended: ConnectionID? {
        if case .ended(_, let connection) = self { connection } else { nil }
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

extension CommitOutcome: ExpressibleByArrayLiteral {
    /// Creates an outcome with these answers.
    package init(arrayLiteral answers: WriterOutcome...) { self.init(answers: answers) }

    package var pushes: [WriterPush] {
        var pushes: [WriterPush] = []
        deliver(answer: { _ in }, push: { pushes.append($0) })
        return pushes
    }
}

extension [CommitOutcome] {
    package var answers: [WriterOutcome] { flatMap(\.answers) }

    /// The pushed events.
    package var pushes: [EncodedPush] {
        flatMap(\.pushes).compactMap { if case .events(let push, _, _) = $0 { push } else { nil } }
    }

    /// The connections that no longer have to wait for other servers' changes.
    package var caughtUp: [ConnectionID] {
        flatMap(\.pushes).compactMap { if case .caughtUp(let connection) = $0 { connection } else { nil } }
    }

    package var acks: [(seq: UInt64, stop: RefusalCode?)] { answers.compactMap(\.ack) }

    /// The heads' seqs in the answers to uploads.
    package var seqs: [UInt64] { acks.map(\.seq) }

    /// The reasons for which merges stopped, in the answers to uploads.
    package var stops: [RefusalCode?] { acks.map(\.stop) }
}
