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
    /// The reports that aren't stored yet, for example because the log was busy; the newest last.
    private var unrecorded: [Report] = []
    /// The question that was reported last; nil if none is open.
    private var reported: AbsenceQuestion?

    private struct Report {
        let isAbsent: Bool
        let since: SteadyInstant
    }

    init(_ device: Device) { self.device = device }

    /// Stores a report on whether somebody is there.
    func record(_ activity: UserActivity) {
        let now = device.clocks.sinceBoot()
        switch activity {
        case .present: unrecorded.append(Report(isAbsent: false, since: now))
        case .absent(let length): unrecorded.append(Report(isAbsent: true, since: now - length))
        }
        storeReports()
    }

    /// Stores the reports that aren't stored yet, and reports a question that has opened, perhaps in another
    /// process.
    func storeReports() {
        agent?.attempt {
            while let report = unrecorded.first {
                let ago = device.clocks.sinceBoot() - report.since
                if report.isAbsent {
                    try device.absenceBegan(ago: ago)
                } else {
                    try device.absenceEnded(ago: ago)
                }
                unrecorded.removeFirst()
            }
        }
        agent?.attempt {
            let question = try device.absenceQuestion()
            guard question != reported else { return }
            reported = question
            agent?.didAsk(question)
        }
    }
}
