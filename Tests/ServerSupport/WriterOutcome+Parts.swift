import FocusCore
package import FocusServerStore
package import FocusSync
package import FocusWriter

extension WriterOutcome {
    /// The answer to an upload: the head's seq, and the reason for which the merge stopped.
    package var ack: (seq: UInt64, stop: RefusalCode?)? {
        if case .merged(_, let head, let stop, _) = self { (head.seq, stop?.code) } else { nil }
    }

    /// Whether this is a batch's tally, which answers nobody.
    package var isTally: Bool {
        if case .batch = self { true } else { false }
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

    /// The code of the refusal, if the request was refused.
    package var refusal: RefusalCode? {
        switch self {
        case .ended(let refusal, _), .answered(.refused(_, let refusal), _): refusal.code
        default: nil
        }
    }
}
