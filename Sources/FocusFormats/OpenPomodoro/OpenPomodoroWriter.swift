import FocusCore
import FocusText

/// Writes lines of the Open Pomodoro Format's history.
struct OpenPomodoroWriter: EntryWriter {
    /// The place whose offsets from UTC the times have.
    let zone: LocalZone

    var head: String { "" }
    var tail: String { "" }

    func text(_ entry: HistoryEntry) -> String {
        guard let interval = entry.interval.inMinutes else { return "" }
        let description = entry.label.isEmpty ? "" : " description=\(Logfmt.value(entry.label))"
        return "\(zone.text(interval.from)) duration=\(interval.length.inSeconds / 60)\(description)\n"
    }
}
