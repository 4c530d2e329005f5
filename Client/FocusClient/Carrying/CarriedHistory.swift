package import FocusCore
import FocusText

/// The history of a log as `record`s, by which it is carried into another log: on import, and from a device's
/// own log when it joins a group that has one.
///
/// Each carries a source made of the run and phase it comes from, so that carrying it twice adds it once;
/// what was carried before keeps its source. A phase that was paused becomes a record for each of its
/// intervals, since a record has just one, and of an interval of over a day for each day: the last with the
/// phase's outcome, those before it as stopped, so that focus time and completed phases count the same.
package struct CarriedHistory: Sendable {
    package let records: [Action.Record]

    /// The records of `log`, whose replay is `state` and `journal`, at `now` (milliseconds since the Unix
    /// epoch).
    package init<Log: ReplayLog>(
        of log: borrowing Log, _ state: ReplayState, _ journal: Journal, at now: Int64
    ) throws(Log.Failure) {
        var records: [Action.Record] = []
        for record in History(journal, state, at: now).records where record.endedAt <= now {
            if case .record(let carried)? = try log.event(at: record.run.position)?.action {
                records.append(carried.relabelled(record.label))
            } else {
                records += CarriedHistory.records(record)
            }
        }
        self.records = records
    }

    private static func records(_ record: PhaseRecord) -> [Action.Record] {
        let intervals = record.spans.intervals.flatMap(CarriedHistory.parts)
        return intervals.enumerated().map { index, interval in
            let isLast = index == intervals.count - 1
            return Action.Record(
                activity: record.activity.rawValue, startedAt: interval.from, endedAt: interval.to,
                outcome: (isLast ? record.outcome : .stopped).rawValue, label: record.label,
                source: "\(record.run.text)/\(record.ordinal)/\(index)")
        }
    }

    /// The interval, in parts that a record may say.
    private static func parts(_ interval: Interval) -> [Interval] {
        stride(from: interval.from, to: interval.to, by: Int(Action.Record.longest)).map { from in
            Interval(from: from, to: min(interval.to, from + Action.Record.longest))
        }
    }

    /// The actions that carry the records into a log that holds records of `sources` already.
    package func actions(besides sources: Set<String>) -> [Action] {
        records.filter { !sources.contains(Text.cleaned($0.source)) }.map { .record($0) }
    }
}

extension Action.Record {
    fileprivate func relabelled(_ label: String) -> Action.Record {
        var record = self
        record.label = label
        return record
    }
}

extension ReplayLog {
    /// The sources of the log's records, as they are compared.
    ///
    /// Cost: linear in the log.
    package func recordSources() throws(Failure) -> Set<String> {
        var sources: Set<String> = []
        var events = try events(after: nil)
        while let event = try events.next() {
            if case .record(let record) = event.action { sources.insert(Text.cleaned(record.source)) }
        }
        return sources
    }
}
