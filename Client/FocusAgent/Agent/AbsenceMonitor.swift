import FocusCore
import FocusDevice
import FocusStore

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
    @Weak var agent: Agent?
    private let device: Device
    private var unrecorded = UnrecordedReports()
    /// The question that was reported last; nil if none is open.
    private var reported: AbsenceQuestion?

    init(_ device: Device) { self.device = device }

    /// Stores a report on whether somebody is there.
    func record(_ activity: UserActivity) {
        let now = device.clocks.sinceBoot()
        switch activity {
        case .present: unrecorded.append(.init(isAbsent: false, since: now))
        case .absent(let length): unrecorded.append(.init(isAbsent: true, since: now - length))
        }
        storeReports()
    }

    /// Stores the reports that aren't stored yet, and reports a question that has opened, perhaps in another
    /// process.
    func storeReports() {
        agent?.attempt { () throws(StoreError) in
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
        agent?.attempt { () throws(StoreError) in
            let question = try device.absenceQuestion()
            guard question != reported else { return }
            reported = question
            agent?.didAsk(question)
        }
    }
}

/// The reports that aren't stored yet, for example because the log is busy. Absences and returns alternate.
struct UnrecordedReports {
    struct Report: Hashable {
        let isAbsent: Bool
        let since: SteadyInstant
    }

    private var reports: [Report] = []

    static let limit = 16

    /// The oldest report.
    var first: Report? { reports.first }

    /// Adds a report. If the last one says the same, the two become one from the earlier instant. Over the
    /// limit, removes the oldest absence with its return: a question about a later one would replace its own.
    mutating func append(_ report: Report) {
        if let last = reports.last, last.isAbsent == report.isAbsent {
            reports.removeLast()
            reports.append(Report(isAbsent: last.isAbsent, since: min(last.since, report.since)))
        } else {
            reports.append(report)
        }
        guard reports.count > UnrecordedReports.limit,
            let oldest = reports.firstIndex(where: { $0.isAbsent })
        else { return }
        reports.removeSubrange(oldest...oldest + 1)
    }

    mutating func removeFirst() { reports.removeFirst() }
}
