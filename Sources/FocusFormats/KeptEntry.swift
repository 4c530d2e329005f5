import FocusCore
package import FocusText

extension HistoryFormat {
    /// What is left of an entry in a file of this format: how it comes out when the file is read. Nil where the format
    /// has no room for it (docs/formats.md).
    ///
    /// - Parameter zone: The place whose clocks local times are by.
    package func kept(_ entry: HistoryEntry, zone: LocalZone) -> HistoryEntry? {
        var kept = entry
        kept.label = HistoryEntry.label(entry.label)
        switch self {
        case .csv: return kept
        case .ics:
            guard let seconds = entry.interval.inSeconds else { return nil }
            kept.interval = seconds
            let (name, sequence) = CalendarEvent.name(of: entry)
            kept.source = CalendarEvent.source(name, sequence)
            return kept
        case .timewarrior, .toggl, .openPomodoro:
            guard entry.activity == .work else { return nil }
            kept.source = nil
        }
        switch self {
        case .openPomodoro:
            kept.outcome = .completed
            guard let minutes = entry.interval.inMinutes else { return nil }
            kept.interval = minutes
        default:
            kept.outcome = .stopped
            guard let seconds = entry.interval.inSeconds else { return nil }
            kept.interval = self == .toggl ? seconds.byClock(of: zone) : seconds
        }
        return kept
    }
}

extension Interval {
    /// The span in whole seconds; nil where that is none.
    var inSeconds: Interval? {
        let from = SharedInstant(seconds: from.seconds)
        let to = SharedInstant(seconds: to.seconds)
        return from < to ? Interval(from: from, to: to) : nil
    }

    /// The span from a whole second on, its length rounded to minutes; nil where that is none.
    var inMinutes: Interval? {
        let from = SharedInstant(seconds: from.seconds)
        let minutes = (length + .seconds(30)).inSeconds / 60
        return minutes > 0 ? Interval(from: from, to: from + .seconds(minutes * 60)) : nil
    }

    /// The span as it is read where a place's clocks say when it begins: what begins in the hour that comes twice is
    /// taken for the first.
    func byClock(of zone: LocalZone) -> Interval {
        let from = zone.reading(of: zone.time(at: from)).first
        return Interval(from: from, to: from + length)
    }
}
