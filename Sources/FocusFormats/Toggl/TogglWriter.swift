import FocusCore
import FocusText

/// Writes the columns that Toggl Track's import takes for time entries.
struct TogglWriter: EntryWriter {
    private let context: WritingContext

    init(_ context: WritingContext) { self.context = context }

    var head: String { CSVRow.text(["Email", "Description", "Start date", "Start time", "Duration"]) }
    var tail: String { "" }

    func text(_ entry: HistoryEntry) -> String {
        guard let interval = entry.interval.inSeconds else { return "" }
        let start = context.zone.time(at: interval.from)
        // No clock: it may say 24:00:00.
        let seconds = interval.length.inSeconds
        let length = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return CSVRow.text([
            context.email ?? "", entry.label, "\(start.day)", start.clock, length.joined(separator: ":"),
        ])
    }
}
