import FocusText

/// A reader of a calendar's events (RFC 5545).
struct CalendarReader: EntryReader {
    /// The most levels to which components may be nested.
    private static let depthLimit = 16

    private var lines = ContentLineReader()
    /// The open components, outermost first, and the lines on which they begin.
    private var components: [(name: String, line: Int)] = []
    /// Whether a calendar has begun. Until then, a line that can't be read makes the whole file unreadable.
    private var hasBegun = false
    /// The open event, or nil if there is none.
    private var event: CalendarEvent?
    /// The open time zone, or nil if there is none.
    private var zone: CalendarZone?
    private var zones: CalendarZones
    /// The complete events. They are read when all zones and versions are known.
    private var events: [CalendarEvent] = []

    init(_ zones: CalendarZones) { self.zones = zones }

    mutating func read(_ bytes: ArraySlice<UInt8>, _ body: (ParsedItem) -> Void) throws(FileFormatError) {
        // The reader is moved out of `self`, so that `self` can be changed while lines are read.
        var lines = self.lines
        self.lines = ContentLineReader()
        try lines.read(bytes) { line, number throws(FileFormatError) in try self.read(line, number, body) }
        self.lines = lines
    }

    mutating func finish(_ body: (ParsedItem) -> Void) throws(FileFormatError) {
        var lines = self.lines
        try lines.finish { line, number throws(FileFormatError) in try self.read(line, number, body) }
        unwind(to: 0, body)
        var latest: [[UInt8]: Int] = [:]
        for (index, event) in events.enumerated() {
            for year in event.years { zones.use(in: year) }
            guard let origin = event.origin else { continue }
            let other = latest[origin] ?? index
            latest[origin] = events[other].isEarlier(than: event) ? index : other
        }
        for event in events {
            if let last = event.origin.flatMap({ latest[$0] }), event.isEarlier(than: events[last]) {
                body(ParsedItem(.omission(.replaced), line: event.line))
            } else {
                body(ParsedItem { () throws(FileFormatError) in try event.entry(&zones) })
            }
        }
        events = []
    }

    private mutating func read(
        _ bytes: [UInt8], _ number: Int, _ body: (ParsedItem) -> Void
    ) throws(FileFormatError) {
        let line: ContentLine
        do throws(FileFormatError) {
            line = try ContentLine(bytes, number)
        } catch {
            guard hasBegun else { throw error }
            return body(ParsedItem(unreadable: error))
        }
        if line.name == "BEGIN" { return try begin(line.value.uppercased(), line, body) }
        guard let component = components.last?.name else {
            let problem = FileFormatError(line: line.number, "a calendar begins with BEGIN:VCALENDAR")
            guard hasBegun else { throw problem }
            return body(ParsedItem(unreadable: problem))
        }
        switch (line.name, component) {
        case ("END", _): try end(line.value.uppercased(), line, body)
        case (_, "VEVENT"): event?.add(line)
        case (_, "VTIMEZONE"): zone?.add(line)
        case (_, "STANDARD"), (_, "DAYLIGHT"): zone?.addToObservance(line)
        default: return
        }
    }

    private mutating func begin(
        _ name: String, _ line: ContentLine, _ body: (ParsedItem) -> Void
    ) throws(FileFormatError) {
        // These components can't be nested, so the open one has lost its end.
        let whole = ["VEVENT", "VTIMEZONE"]
        if name == "VCALENDAR" {
            unwind(to: 0, body)
        } else if whole.contains(name), let open = components.firstIndex(where: { whole.contains($0.name) }) {
            unwind(to: open, body)
        }
        guard !components.isEmpty || name == "VCALENDAR" else {
            let problem = FileFormatError(line: line.number, "a calendar begins with BEGIN:VCALENDAR")
            guard hasBegun else { throw problem }
            return body(ParsedItem(unreadable: problem))
        }
        guard components.count < CalendarReader.depthLimit else {
            throw FileFormatError(line: line.number, "components are nested too deep")
        }
        hasBegun = true
        components.append((name, line.number))
        switch name {
        case "VEVENT": event = CalendarEvent(line: line.number)
        case "VTIMEZONE": zone = CalendarZone()
        case "STANDARD", "DAYLIGHT": zone?.beginObservance(line: line.number)
        default: return
        }
    }

    private mutating func end(
        _ name: String, _ line: ContentLine, _ body: (ParsedItem) -> Void
    ) throws(FileFormatError) {
        guard let index = components.lastIndex(where: { $0.name == name }) else {
            let problem = FileFormatError(line: line.number, "\(name) ends, which is not what began last")
            return body(ParsedItem(unreadable: problem))
        }
        unwind(to: index + 1, body)
        components.removeLast()
        switch name {
        case "VEVENT":
            guard events.count < FileLimits.entries else {
                throw FileFormatError(
                    line: line.number, "the file holds more than \(FileLimits.entries) events")
            }
            if let event { events.append(event) }
            event = nil
        case "VTIMEZONE":
            if let zone { zones.define(zone) }
            zone = nil
        default: return
        }
    }

    /// Drops open components except for the outermost `count`, and reports each to `body`.
    private mutating func unwind(to count: Int, _ body: (ParsedItem) -> Void) {
        while components.count > count, let open = components.popLast() {
            let problem = FileFormatError(line: open.line, "the \(open.name) that begins here never ends")
            body(ParsedItem(unreadable: problem))
            if open.name == "VEVENT" { event = nil }
            if open.name == "VTIMEZONE" { zone = nil }
        }
    }
}
