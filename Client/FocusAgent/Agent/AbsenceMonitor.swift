import FocusCore
import FocusDevice

/// A report on whether somebody is at the laptop.
package enum UserActivity: Hashable, Sendable {
    /// Somebody is there.
    case present
    /// Nobody has been there for this time.
    case absent(for: Duration)
}

/// Stores times in which nobody is at the laptop, and reports the question about each when somebody returns
/// (docs/timer-rules.md §5, "Nobody there").
final class AbsenceMonitor {
    weak var agent: Agent?
    private let device: Device
    /// The last report that isn't stored yet, for example because the log was busy. An absence has its
    /// beginning.
    private var unrecorded: Report?
    /// The question that was reported last; nil if none is open.
    private var reported: AbsenceQuestion?

    private enum Report {
        case present
        case absent(since: SteadyInstant)
    }

    init(_ device: Device) { self.device = device }

    /// Stores a report on whether somebody is there.
    func record(_ activity: UserActivity) {
        unrecorded =
            switch activity {
            case .present: .present
            case .absent(let length): .absent(since: device.clocks.sinceBoot() - length)
            }
        storeReport()
    }

    /// Stores the last report if it isn't stored yet, and reports a question that has opened, perhaps in
    /// another process.
    func storeReport() {
        agent?.attempt {
            switch unrecorded {
            case .present: try device.absenceEnded()
            case .absent(let since): try device.absenceBegan(ago: device.clocks.sinceBoot() - since)
            case nil: break
            }
            unrecorded = nil
        }
        agent?.attempt {
            let question = try device.absenceQuestion()
            guard question != reported else { return }
            reported = question
            agent?.didAsk(question)
        }
    }
}
