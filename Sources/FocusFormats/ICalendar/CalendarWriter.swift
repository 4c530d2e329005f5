import FocusCore
import FocusText

/// A writer of a calendar with an event for each entry (RFC 5545).
struct CalendarWriter: EntryWriter {
    /// The names of Lockstep's own properties (§3.8.8.2), for facts that calendars can't express.
    static let activity = "X-LOCKSTEP-ACTIVITY"
    static let outcome = "X-LOCKSTEP-OUTCOME"
    static let label = "X-LOCKSTEP-LABEL"

    private var isEmpty = true

    /// The calendar's properties. Its name is there twice: as RFC 7986 has it, and as most programs read it.
    var head: String {
        [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Lockstep//focus//EN", "CALSCALE:GREGORIAN",
            "NAME:Lockstep", "X-WR-CALNAME:Lockstep",
        ].map(CalendarWriter.line).joined()
    }

    /// The end. A calendar has at least one component (§3.6), so one without events has a time zone.
    var tail: String {
        let zone = [
            "BEGIN:VTIMEZONE", "TZID:UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000",
            "TZOFFSETFROM:+0000", "TZOFFSETTO:+0000", "END:STANDARD", "END:VTIMEZONE",
        ]
        return ((isEmpty ? zone : []) + ["END:VCALENDAR"]).map(CalendarWriter.line).joined()
    }

    mutating func text(_ entry: HistoryEntry) -> String {
        guard let interval = entry.interval.inSeconds else { return "" }
        isEmpty = false
        let from = "\(CivilTime(utc: interval.from).basic)Z"
        let to = "\(CivilTime(utc: interval.to).basic)Z"
        let summary = entry.summary
        let (uid, sequence) = CalendarEvent.uid(of: entry)
        var lines = ["BEGIN:VEVENT", "UID:\(CalendarWriter.escaped(uid))"]
        if sequence > 0 { lines.append("SEQUENCE:\(sequence)") }
        // DTSTAMP is the end of the entry, so that the same history gives the same file (§3.8.7.2).
        lines += ["DTSTAMP:\(to)", "DTSTART:\(from)", "DTEND:\(to)"]
        lines += ["SUMMARY:\(CalendarWriter.escaped(summary))", "CATEGORIES:\(entry.activity.category)"]
        lines += ["\(CalendarWriter.activity):\(entry.activity.rawValue)"]
        lines += ["\(CalendarWriter.outcome):\(entry.outcome.rawValue)"]
        if summary != entry.label {
            lines.append("\(CalendarWriter.label):\(CalendarWriter.escaped(entry.label))")
        }
        lines.append("END:VEVENT")
        return lines.map(CalendarWriter.line).joined()
    }

    /// Returns the text with special characters escaped (§3.3.11).
    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\\" || scalar == ";" || scalar == "," { escaped.append("\\") }
            escaped.append(scalar)
        }
        return String(escaped)
    }

    /// Returns a line with its line end, folded so that no part exceeds 75 bytes and
    /// no character is cut (§3.1).
    static func line(_ text: String) -> String {
        guard text.utf8.count > 75 else { return "\(text)\r\n" }
        var folded = ""
        var length = 0
        for scalar in text.unicodeScalars {
            let width = String(scalar).utf8.count
            if length + width > 75 {
                folded += "\r\n "
                length = 1
            }
            folded.unicodeScalars.append(scalar)
            length += width
        }
        return "\(folded)\r\n"
    }
}

extension HistoryEntry {
    /// The summary that a calendar shows. For a break, it is the activity, because the label belongs to the
    /// work.
    fileprivate var summary: String {
        activity == .work && !label.isEmpty ? label : activity.category
    }
}

extension Activity {
    fileprivate var category: String {
        switch self {
        case .work: "Work"
        case .shortBreak: "Short break"
        case .longBreak: "Long break"
        }
    }
}
