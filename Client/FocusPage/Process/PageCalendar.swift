import FocusCore
import FocusDevice
import FocusFormats
import FocusStore
import FocusText

/// The maker of the calendar feed.
enum PageCalendar {
    /// The age up to which phases are in the calendar feed.
    private static let calendarSpan = Duration.seconds(400 * 86_400)

    /// Returns the calendar feed: the newest part of the history, as `focus export --format ics` writes it.
    static func feed(_ device: Device) throws(PageError) -> PageAnswer {
        let (records, wholes) = try mapError(PageError.device) { () throws(DeviceFailure) in
            try device.attempt { device throws(StoreError) -> ([PhaseRecord], SplitWholes) in
                let (state, journal) = try device.store.history()
                let now = try device.now()
                let first = now - calendarSpan
                let records = History(journal, state, at: now).records.filter { $0.endedAt >= first }
                return (records, SplitWholes(journal, state, at: now))
            }
        }
        var writer = HistoryWriter(.ics, WritingContext(zone: .utc), count: 0)
        let entries = records.lazy.flatMap {
            HistoryFormat.ics.entries(of: $0, splitOff: wholes.whole(of: $0.name))
        }
        var bytes: [UInt8] = []
        writer.write(entries) { bytes += $0.utf8 }
        return PageAnswer(200, type: "text/calendar; charset=utf-8", bytes)
    }
}
