import FocusCore
import TestSupport
import Testing

@testable import FocusAgent

@Suite("Reports of absences that can't be stored yet")
struct UnrecordedReportsTests {
    private typealias Report = UnrecordedReports.Report

    /// Removes and returns all reports.
    private func drained(_ reports: UnrecordedReports) -> [Report] {
        var (rest, drained) = (reports, [Report]())
        while let first = rest.first {
            drained.append(first)
            rest.removeFirst()
        }
        return drained
    }

    @Test("however many there are, the first return and the last absences are kept")
    func limit() {
        var reports = UnrecordedReports()
        let all = (0...100 as ClosedRange<Int64>).map { number in
            Report(isAbsent: number % 2 == 1, since: .after(.seconds(number)))
        }
        for report in all { reports.append(report) }
        #expect(drained(reports) == Array(all.prefix(1) + all.suffix(UnrecordedReports.limit - 2)))
        reports.append(Report(isAbsent: true, since: .after(.seconds(101))))
        #expect(drained(reports).count == UnrecordedReports.limit)
    }

    @Test("two that say the same are one, from the earlier instant")
    func same() {
        var reports = UnrecordedReports()
        for instant in [5, 3, 4] as [SteadyInstant] {
            reports.append(Report(isAbsent: true, since: instant))
        }
        #expect(drained(reports) == [Report(isAbsent: true, since: 3)])
    }
}
