import FocusText

/// Reads a calendar's events (RFC 5545).
struct CalendarReader: EntryReader {
    private static let deepest = 16

    private var lines = ContentLineReader()
    /// The components that have begun and not ended, and where.
    private var components: [(name: String, line: Int)] = []
    private var event: CalendarEvent?
    private var zone: CalendarZone?
    /// The zones defined so far, or what is wrong with them, which matters only where one is used.
    private var zones: [String: Result<LocalZone, BadFile>] = [:]
    /// Events in zones that the calendar has yet to define.
    private var waiting: [CalendarEvent] = []
    private let local: LocalZone

    /// - Parameter local: The place whose clocks times without a zone are by.
    init(_ local: LocalZone) { self.local = local }

    mutating func read(_ bytes: ArraySlice<UInt8>, _ take: (FoundEntry) -> Void) throws(BadFile) {
        // Taken out, so that they aren't changed while they give their lines to the rest of `self`.
        var lines = self.lines
        self.lines = ContentLineReader()
        try lines.read(bytes) { line throws(BadFile) in try self.read(line, take) }
        self.lines = lines
    }

    mutating func finish(_ take: (FoundEntry) -> Void) throws(BadFile) {
        var lines = self.lines
        try lines.finish { line throws(BadFile) in try self.read(line, take) }
        if let open = components.last {
            throw BadFile(line: open.line, "the \(open.name) that begins here never ends")
        }
        for event in waiting {
            if let found = try found(event) {
                take(found)
            } else {
                throw BadFile(
                    line: event.line,
                    "the event is in a time zone that the file doesn't define: \(event.zones.joined(separator: ", "))"
                )
            }
        }
    }

    private mutating func read(_ line: ContentLine, _ take: (FoundEntry) -> Void) throws(BadFile) {
        switch line.name {
        case "BEGIN": try begin(line.value.uppercased(), line)
        case "END": try end(line.value.uppercased(), line, take)
        default:
            guard let component = components.last?.name else {
                throw BadFile(line: line.number, "a calendar begins with BEGIN:VCALENDAR")
            }
            switch component {
            case "VEVENT": try event?.add(line)
            case "VTIMEZONE": zone?.add(line)
            case "STANDARD", "DAYLIGHT": try zone?.addToObservance(line)
            default: return
            }
        }
    }

    private mutating func begin(_ name: String, _ line: ContentLine) throws(BadFile) {
        guard !components.isEmpty || name == "VCALENDAR" else {
            throw BadFile(line: line.number, "a calendar begins with BEGIN:VCALENDAR")
        }
        guard components.count < CalendarReader.deepest else {
            throw BadFile(line: line.number, "components are nested too deep")
        }
        components.append((name, line.number))
        switch name {
        case "VEVENT": event = CalendarEvent(line: line.number)
        case "VTIMEZONE": zone = CalendarZone()
        case "STANDARD", "DAYLIGHT": zone?.beginObservance(line: line.number)
        default: return
        }
    }

    private mutating func end(
        _ name: String, _ line: ContentLine, _ take: (FoundEntry) -> Void
    ) throws(BadFile) {
        guard let last = components.popLast(), last.name == name else {
            throw BadFile(line: line.number, "\(name) ends, which is not what began last")
        }
        switch name {
        case "VEVENT":
            guard let event else { return }
            self.event = nil
            if let found = try found(event) { take(found) } else { waiting.append(event) }
        case "VTIMEZONE":
            guard let zone, let name = zone.name else { return }
            zones[name] = Result { () throws(BadFile) in try zone.zone() }
            self.zone = nil
        default: return
        }
    }

    /// What the event says; nil where its zone is yet to come.
    private func found(_ event: CalendarEvent) throws(BadFile) -> FoundEntry? {
        var known: [String: LocalZone] = [:]
        for name in event.zones {
            guard let zone = zones[name] else { return nil }
            known[name] = try zone.get()
        }
        return try event.entry { time, zone in (zone.flatMap { known[$0] } ?? local).reading(of: time).first }
    }
}
