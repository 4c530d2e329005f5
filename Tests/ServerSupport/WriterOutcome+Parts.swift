import FocusCore
package import FocusServerStore
package import FocusSync
package import FocusWriter

extension WriterOutcome {
    /// An upload's answer: the head's seq and why it stopped.
    package var ack: (seq: UInt64, stop: RefusalCode?)? {
        if case .merged(_, let head, let stop, _) = self { (head.seq, stop?.code) } else { nil }
    }

    /// Whether it answers nobody.
    package var isTally: Bool {
        if case .batch = self { true } else { false }
    }

    package var push: Push? {
        if case .committed(let push, _, _) = self { push } else { nil }
    }

    package var device: StoredDevice? {
        if case .device(let device) = self { device } else { nil }
    }

    package var enrolled: Enrolled? {
        if case .enrolled(let enrolled, _) = self { enrolled } else { nil }
    }

    /// The code of whatever was refused.
    package var refusal: RefusalCode? {
        switch self {
        case .ended(let refusal, _), .answered(.refused(_, let refusal), _): refusal.code
        default: nil
        }
    }
}
