import FocusCore
import FocusText

/// An event of a calendar. Its properties are added as their lines come.
struct CalendarEvent {
    /// The first line of the event.
    let line: Int
    private var start: CalendarTime?
    private var end: CalendarTime?
    private var length: Duration?
    private var uid: String?
    private var summary: String?
    private var isRecurring = false
    /// Whether the event has a RECURRENCE-ID, and so is one of a series.
    private var isOneOfSeries = false
    private var isCancelled = false
    private var activity = Activity.work
    private var outcome = Outcome.stopped
    private var label: String?
    private var sequence: Int32 = 0
    /// The DTSTAMP, which orders versions with the same SEQUENCE.
    private var stamp = SharedInstant.distantPast
    /// The first problem that keeps the event from being read.
    private var problem: FileFormatError?

    init(line: Int) { self.line = line }

    /// Adds a property.
    mutating func add(_ line: ContentLine) {
        do throws(FileFormatError) { try read(line) } catch { problem = problem ?? error }
    }

    private mutating func read(_ line: ContentLine) throws(FileFormatError) {
        switch line.name {
        case "UID": uid = try line.text()
        case "DTSTART":
            guard start == nil else {
                throw FileFormatError(line: line.number, "the event has a second DTSTART")
            }
            start = try CalendarTime(line)
        case "DTEND": end = try CalendarTime(line)
        case "DURATION": length = try CalendarTime.length(line)
        case "SUMMARY": summary = try line.text()
        case "SEQUENCE": sequence = max(0, Int32(line.value) ?? 0)
        case "DTSTAMP": if case .utc(let instant)? = try? CalendarTime(line) { stamp = instant }
        case "RRULE", "RDATE": isRecurring = true
        case "RECURRENCE-ID":
            isRecurring = true
            isOneOfSeries = true
        case "STATUS": isCancelled = line.value.uppercased() == "CANCELLED"
        case CalendarWriter.activity: activity = try choice(line)
        case CalendarWriter.outcome: outcome = try choice(line)
        case CalendarWriter.label: label = try line.text()
        default: return
        }
    }

    /// Returns the value of one of Lockstep's own properties. Throws if the value is unknown.
    private func choice<Value: RawRepresentable<String>>(_ line: ContentLine) throws(FileFormatError) -> Value
    {
        guard let value = Value(rawValue: line.value) else {
            throw FileFormatError(line: line.number, "\(line.name) is '\(line.value)', which nobody knows")
        }
        return value
    }

    /// The years of the event's times with a zone.
    var years: [Int64] {
        var years: [Int64] = []
        for case .zoned(let time, _)? in [start, end] { years.append(time.day.date.year) }
        return years
    }

    /// The event's UID as UTF-8. Events with the same UID are versions of one event. It is nil if there is no
    /// UID, or if the event is one of a series.
    var origin: [UInt8]? { isOneOfSeries ? nil : uid.map { Array($0.utf8) } }

    /// Whether this event is an earlier version than another event of the same origin (RFC 5546 §2.1.5).
    func isEarlier(than other: CalendarEvent) -> Bool {
        (sequence, stamp) < (other.sequence, other.stamp)
    }

    /// Returns the event's entry, or the reason to leave it out.
    ///
    /// - Parameter zones: The time zones of the file.
    /// - Throws: `FileFormatError` if the event can't be read.
    func entry(_ zones: inout CalendarZones) throws(FileFormatError) -> ParsedItem {
        if isCancelled { return ParsedItem(.omission(.cancelled), line: line) }
        if isRecurring { return ParsedItem(.omission(.recurring), line: line) }
        if let problem { throw problem }
        guard let start else { return ParsedItem(.omission(.noStart), line: line) }
        guard let from = try start.instant(&zones, line) else {
            return ParsedItem(.omission(.allDay), line: line)
        }
        var to = from + (length ?? .zero)
        if let end {
            guard let instant = try end.instant(&zones, line) else {
                throw FileFormatError(line: line, "the event begins at a time and ends on a day")
            }
            to = instant
        }
        return try ParsedItem(
            activity, from: from, to: to, outcome, label: HistoryEntry.label(label ?? summary),
            source: uid.flatMap { CalendarEvent.source($0, sequence) }, line: line)
    }

    /// Returns the source of the entry that an event's version becomes; nil if the UID is empty. A UID that
    /// Lockstep made holds the source. Otherwise the source contains the UID, or a fingerprint of it if it is
    /// too long or itself ends in a version such as `;sequence=2`.
    ///
    /// - Parameters:
    ///   - uid: The event's UID.
    ///   - sequence: The version's SEQUENCE.
    static func source(_ uid: String, _ sequence: Int32) -> String? {
        if let source = LockstepName.source(uid) { return source }
        let cleaned = Text.cleaned(uid)
        guard !cleaned.isEmpty else { return nil }
        let longest = Text.limit - SourceVersion.source(foreignMark, .max).unicodeScalars.count
        guard uid.unicodeScalars.count > longest || SourceVersion(cleaned).number > 0 else {
            return SourceVersion.source(foreignMark + cleaned, sequence)
        }
        var fingerprint = Fingerprint()
        fingerprint.add(uid)
        return SourceVersion.source("\(foreignMark)#\(hexadecimal(fingerprint.value))", sequence)
    }

    /// Returns the UID and SEQUENCE of an entry's event. They are the original ones if the entry was imported
    /// from another program's calendar and its source has them. Otherwise the UID is Lockstep's own.
    static func uid(of entry: HistoryEntry) -> (String, Int32) {
        let source = entry.source ?? HistoryFormat.ics.source(for: entry)
        let version = SourceVersion(source)
        let origin = String(decoding: version.origin, as: UTF8.self)
        // After the mark, `#` begins a fingerprint, from which the UID can't be restored.
        guard let uid = origin.dropping(foreignMark), CalendarEvent.source(uid, version.number) == source,
            !uid.utf8.starts(with: "#".utf8)
        else { return (LockstepName.text(source), 0) }
        return (uid, version.number)
    }

    /// The beginning of the sources of events that other programs wrote.
    private static let foreignMark = "ics/"
}

/// A date or a time in a calendar (RFC 5545 §3.3.4, §3.3.5), before its time zone is looked up.
enum CalendarTime {
    case day(Day)
    case utc(SharedInstant)
    /// A time without a zone. It is read in the zone of the file's local times.
    case floating(CivilTime)
    case zoned(CivilTime, zone: String)

    init(_ line: ContentLine) throws(FileFormatError) {
        var scanner = TimeScanner(line.value)
        if let day = scanner.basicDay(), scanner.isAtEnd {
            self = .day(day)
        } else if line.value.hasSuffix("Z"), let time = CivilTime(basic: line.value.dropLast()) {
            self = .utc(time.utc)
        } else if let time = CivilTime(basic: line.value) {
            self = line.parameters["TZID"].map { .zoned(time, zone: $0) } ?? .floating(time)
        } else {
            throw FileFormatError(
                line: line.number, "\(line.name) is '\(line.value)', and not a time as in 20251120T180000Z")
        }
    }

    /// Returns the instant, or nil for a day. If clocks show the time twice, it is the first.
    ///
    /// - Parameter line: The first line of the event.
    /// - Throws: `FileFormatError` if the zone is unknown.
    func instant(_ zones: inout CalendarZones, _ line: Int) throws(FileFormatError) -> SharedInstant? {
        switch self {
        case .day: nil
        case .utc(let known): known
        case .floating(let time): zones.local.reading(of: time).first
        case .zoned(let time, let zone): try zones.zone(zone, line).reading(of: time).first
        }
    }

    /// Returns the length in a DURATION (§3.3.6). A day has 24 hours.
    ///
    /// - Throws: `FileFormatError` if the value isn't a length.
    static func length(_ line: ContentLine) throws(FileFormatError) -> Duration {
        guard let length = length(line.value) else {
            throw FileFormatError(
                line: line.number, "DURATION is '\(line.value)', and not a length as in PT25M")
        }
        return length
    }

    /// Parses a DURATION's value; nil for any other text.
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
