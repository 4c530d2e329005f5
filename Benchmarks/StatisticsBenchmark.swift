import FocusCore
import FocusDevice

/// How long a long history takes to be counted, by the days of this place.
enum StatisticsBenchmark {
    static func run(_ report: inout Report) {
        let (state, journal) = ReplayBenchmark.makeLog().replayed()
        var fastest = Double.infinity
        var statistics: Statistics?
        let records = History(journal, state, at: .distantFuture).records
        for _ in 0..<5 {
            let time = ContinuousClock().measure { statistics = Statistics(records, .here) }
            fastest = min(fastest, time.seconds)
        }
        let days = statistics?.days.count ?? 0
        report.note("statistics of a history of \(records.count) records on \(days) days")
        report.figure(
            "statistics of a million records", fastest / Double(records.count) * 1e6, unit: "s",
            goal: .atMost(1))
    }
}
