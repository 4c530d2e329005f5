import FocusCore
import FocusText

/// A reader of the output of `timew export`: a JSON array of intervals.
struct TimewarriorReader: EntryReader {
    private var elements = ElementReader()

    mutating func read(_ bytes: ArraySlice<UInt8>, _ body: (ParsedItem) -> Void) throws(FileFormatError) {
        try elements.read(bytes) { body(TimewarriorReader.entry($0)) }
    }

    mutating func finish(_ body: (ParsedItem) -> Void) throws(FileFormatError) {
        elements.finish { body(TimewarriorReader.entry($0)) }
    }

    private static func entry(_ element: Result<ElementReader.Element, FileFormatError>) -> ParsedItem {
        ParsedItem { () throws(FileFormatError) in
            let element = try element.get()
            // The parser's error says more than `element.problem`, so the element is parsed first.
            let entry = try entry(element.text, element.line)
            if let problem = element.problem { throw problem }
            return entry
        }
    }

    private static func entry(_ element: [UInt8], _ line: Int) throws(FileFormatError) -> ParsedItem {
        let json: JSON
        do throws(JSON.Malformed) {
            json = try JSON(parsing: element)
        } catch {
            throw FileFormatError(line: line, "the interval is not JSON: \(error)")
        }
        guard case .object = json else { throw FileFormatError(line: line, "the interval is no JSON object") }
        guard let start = try instant("start", of: json, line) else {
            throw FileFormatError(line: line, "the interval has no \"start\"")
        }
        let tags = try tags(of: json, line)
        let annotation = try text("annotation", of: json, line)
        guard let end = try instant("end", of: json, line) else {
            return ParsedItem(.omission(.running), line: line)
        }
        let label = HistoryEntry.label(HistoryEntry.label(tags, separator: ", "), annotation)
        return try ParsedItem(.work, from: start, to: end, .stopped, label: label, line: line)
    }

    private static func instant(_ name: String, of json: JSON, _ line: Int) throws(FileFormatError)
        -> SharedInstant?
    {
        guard let text = try text(name, of: json, line) else { return nil }
        if text.hasSuffix("Z"), let time = CivilTime(basic: text.dropLast()) { return time.utc }
        if text.contains(":"), let instant = InstantText.parse(text) { return instant }
        throw FileFormatError(line: line, "\"\(name)\" is '\(text)', and not a time as in 20251120T180000Z")
    }

    private static func text(_ name: String, of json: JSON, _ line: Int) throws(FileFormatError) -> String? {
        switch json[name] {
        case nil, .null: return nil
        case .string(let text): return text
        default: throw FileFormatError(line: line, "\"\(name)\" is no text")
        }
    }

    private static func tags(of json: JSON, _ line: Int) throws(FileFormatError) -> [String] {
        guard let list = json["tags"], list != .null else { return [] }
        guard case .array(let elements) = list else {
            throw FileFormatError(line: line, "\"tags\" is no list")
        }
        var tags: [String] = []
        for element in elements {
            guard case .string(let tag) = element else {
                throw FileFormatError(line: line, "a tag is no text")
            }
            tags.append(tag)
        }
        // The writer repeats the tags in a label.
        let repeated = Set(tags.flatMap(TimewarriorWriter.tags))
        return tags.filter { !repeated.contains($0) }
    }
}

/// A writer of intervals in the format of `timew export`.
struct TimewarriorWriter: EntryWriter {
    private let count: Int
    /// The next interval's id. Timewarrior numbers intervals backwards from the last one.
    private var id: Int

    init(count: Int) {
        self.count = count
        id = count
    }

    /// Returns the tags of a label without their signs, as Timewarrior writes tags.
    static func tags(in label: String) -> [String] {
        LabelTag.tags(of: label).map { String($0.text.dropFirst()) }
    }

    var head: String { "[" }
    var tail: String { "\n]\n" }

    mutating func text(_ entry: HistoryEntry) -> String {
        guard let interval = entry.interval.inSeconds else { return "" }
        let separator = id == count ? "\n" : ",\n"
        var members = [
            JSON.Member("id", .integer(id)),
            JSON.Member("start", .string("\(CivilTime(utc: interval.from).basic)Z")),
            JSON.Member("end", .string("\(CivilTime(utc: interval.to).basic)Z")),
        ]
        if !entry.label.isEmpty {
            let tags = [entry.label] + TimewarriorWriter.tags(in: entry.label)
            members.append(JSON.Member("tags", .array(tags.map { .string($0) })))
        }
        id -= 1
        return "\(separator)\(JSON.object(members))"
    }
}
