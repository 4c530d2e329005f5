import FocusCore
package import FocusText

extension HistoryFormat {
    /// Returns the entry as it comes back when a file of this format is read. Nil if the format can't hold it
    /// (docs/formats.md).
    ///
    /// - Parameter zone: The zone of local times.
    package func roundTripped(_ entry: HistoryEntry, zone: LocalZone) -> HistoryEntry? {
        var result = entry
        result.label = HistoryEntry.label(entry.label)
        switch self {
        case .csv: return result
        case .ics:
            guard let seconds = entry.interval.inSeconds else { return nil }
            result.interval = seconds
            let (uid, sequence) = CalendarEvent.uid(of: entry)
            result.source = CalendarEvent.source(uid, sequence)
            return result
        case .timewarrior, .toggl, .openPomodoro:
            guard entry.activity == .work else { return nil }
            result.source = nil
        }
        switch self {
        case .openPomodoro:
            result.outcome = .completed
            guard let minutes = entry.interval.inMinutes else { return nil }
            result.interval = minutes
        default:
            result.outcome = .stopped
            guard let seconds = entry.interval.inSeconds else { return nil }
            result.interval = self == .toggl ? seconds.byClock(of: zone) : seconds
        }
        return result
    }
}

extension Interval {
    /// The span with both ends cut to whole seconds; nil if it becomes empty.
    var inSeconds: Interval? {
        let from = SharedInstant(seconds: from.seconds)
        let to = SharedInstant(seconds: to.seconds)
        return from < to ? Interval(from: from, to: to) : nil
    }

    /// The span from a whole second on, with its length rounded to minutes; nil if it becomes empty.
    var inMinutes: Interval? {
        let from = SharedInstant(seconds: from.seconds)
        let minutes = (length + .seconds(30)).inSeconds / 60
        return minutes > 0 ? Interval(from: from, to: from + .seconds(minutes * 60)) : nil
    }

    /// Returns the span as it is read from a file with its length and with its beginning by the zone's
    /// clocks. If the clocks show that time twice, the span begins at the first.
    func byClock(of zone: LocalZone) -> Interval {
        let from = zone.reading(of: zone.time(at: from)).first
        return Interval(from: from, to: from + length)
    }
}
