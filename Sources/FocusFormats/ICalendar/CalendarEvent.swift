import FocusCore
import FocusText

/// An event of a calendar, property by property as its lines come.
struct CalendarEvent {
    /// The line that it begins on.
    let line: Int
    private var start: CalendarTime?
    private var end: CalendarTime?
    private var length: Duration?
    private var name: String?
    private var summary: String?
    private var isRecurring = false
    private var isCancelled = false
    private var activity = Activity.work
    private var outcome = Outcome.stopped
    private var label: String?

    init(line: Int) { self.line = line }

    mutating func add(_ line: ContentLine) throws(BadFile) {
        switch line.name {
        case "UID": name = line.text
        case "DTSTART":
            guard start == nil else { throw BadFile(line: line.number, "the event has a second DTSTART") }
            start = try CalendarTime(line)
        case "DTEND": end = try CalendarTime(line)
        case "DURATION": length = try CalendarTime.length(line)
        case "SUMMARY": summary = line.text
        case "RRULE", "RDATE", "RECURRENCE-ID": isRecurring = true
        case "STATUS": isCancelled = line.value.uppercased() == "CANCELLED"
        case CalendarWriter.activity: activity = try choice(line)
        case CalendarWriter.outcome: outcome = try choice(line)
        case CalendarWriter.label: label = line.text
        default: return
        }
    }

    private func choice<Value: RawRepresentable<String>>(_ line: ContentLine) throws(BadFile) -> Value {
        guard let value = Value(rawValue: line.value) else {
            throw BadFile(line: line.number, "\(line.name) is '\(line.value)', which nobody knows")
        }
        return value
    }

    /// The zones that its times are in.
    var zones: [String] {
        var names: [String] = []
        for case .zoned(_, let zone)? in [start, end] where !names.contains(zone) { names.append(zone) }
        return names
    }

    /// What the event says.
    ///
    /// - Parameter instant: When clocks show a time: those of a zone, or where it has none, of the reader's place.
    func entry(_ instant: (CivilTime, String?) -> SharedInstant) throws(BadFile) -> FoundEntry {
        guard let start else { throw BadFile(line: line, "the event has no DTSTART") }
        if isCancelled { return FoundEntry(.omission(.cancelled), line: line) }
        if isRecurring { return FoundEntry(.omission(.recurring), line: line) }
        guard let from = start.instant(instant) else { return FoundEntry(.omission(.allDay), line: line) }
        var to = from + (length ?? .zero)
        if let end {
            guard let instant = end.instant(instant) else {
                throw BadFile(line: line, "the event begins at a time and ends on a day")
            }
            to = instant
        }
        return try FoundEntry(
            activity, from: from, to: to, outcome, label: HistoryEntry.label(label ?? summary),
            source: name.flatMap(CalendarEvent.source), line: line)
    }

    /// The source of an event that is called so; nil where it has no name.
    static func source(_ name: String) -> String? {
        if let source = OwnName.source(name) { return source }
        let cleaned = Text.cleaned(name)
        guard !cleaned.isEmpty else { return nil }
        guard name.unicodeScalars.count > Text.limit - foreignMark.count else { return foreignMark + cleaned }
        var fingerprint = Fingerprint()
        fingerprint.add(name)
        return "\(foreignMark)#\(hexadecimal(fingerprint.value))"
    }

    /// The name of an entry's event: its own again, where it came from a calendar.
    static func name(of entry: HistoryEntry) -> String {
        let source = entry.source ?? HistoryFormat.ics.source(for: entry)
        guard let name = source.dropping(foreignMark), CalendarEvent.source(name) == source,
            !name.utf8.starts(with: "#".utf8)
        else { return OwnName.text(source) }
        return name
    }

    private static let foreignMark = "ics/"
}

/// A date or a time in a calendar (RFC 5545 §3.3.4, §3.3.5), before it is known what its zone is.
enum CalendarTime {
    case day(Day)
    case utc(SharedInstant)
    /// By the clocks of wherever one is.
    case floating(CivilTime)
    case zoned(CivilTime, zone: String)

    init(_ line: ContentLine) throws(BadFile) {
        var scanner = TimeScanner(line.value)
        if let day = scanner.basicDay(), scanner.isAtEnd {
            self = .day(day)
        } else if line.value.hasSuffix("Z"), let time = CivilTime(basic: line.value.dropLast()) {
            self = .utc(time.utc)
        } else if let time = CivilTime(basic: line.value) {
            self = line.parameters["TZID"].map { .zoned(time, zone: $0) } ?? .floating(time)
        } else {
            throw BadFile(
                line: line.number, "\(line.name) is '\(line.value)', and not a time as in 20251120T180000Z")
        }
    }

    /// The instant; nil for a day. `instant` says when clocks show a time: those
    /// of a zone, or where it has none, of the reader's place.
    func instant(_ instant: (CivilTime, String?) -> SharedInstant) -> SharedInstant? {
        switch self {
        case .day: nil
        case .utc(let known): known
        case .floating(let time): instant(time, nil)
        case .zoned(let time, let zone): instant(time, zone)
        }
    }

    /// The length that a DURATION says (§3.3.6), a day being 24 hours.
    static func length(_ line: ContentLine) throws(BadFile) -> Duration {
        guard let length = length(line.value) else {
            throw BadFile(line: line.number, "DURATION is '\(line.value)', and not a length as in PT25M")
        }
        return length
    }

    private static func length(_ text: String) -> Duration? {
        var rest = text[...]
        let isNegative = rest.hasPrefix("-")
        if isNegative || rest.hasPrefix("+") { rest = rest.dropFirst() }
        guard rest.popFirst() == "P", !rest.isEmpty else { return nil }
        var seconds: Int64 = 0
        var units: [Character: Int64] = ["W": 604_800, "D": 86_400]
        while let first = rest.first {
            if first == "T" {
                rest = rest.dropFirst()
                units = ["H": 3600, "M": 60, "S": 1]
                guard !rest.isEmpty else { return nil }
                continue
            }
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest.dropFirst(digits.count)
            guard (1...6).contains(digits.count), let count = Int64(digits), let letter = rest.popFirst(),
                let unit = units.removeValue(forKey: letter)
            else { return nil }
            seconds += count * unit
        }
        return .seconds(isNegative ? -seconds : seconds)
    }
}
