/// Cuts a table into its rows (RFC 4180): fields with commas between them, those with commas, quotes or ends of lines
/// in them in quotes, and a quote in those doubled. Lines end as they like.
struct RowReader {
    /// A row of a table.
    struct Row {
        let fields: [String]
        /// The line that it begins on, from 1.
        let line: Int
    }

    private enum Place {
        /// At the start of a field.
        case start
        case plain
        case quoted
        /// After a quote in a quoted field: its end, or the first half of one that is meant.
        case afterQuote
    }

    private static let mostFields = 256

    private var place = Place.start
    private var field: [UInt8] = []
    private var fields: [String] = []
    private var line = 1
    /// The line that the row begins on.
    private var first = 1
    /// Whether a carriage return has ended the row, of which a line feed may be the other half.
    private var isAfterReturn = false

    /// Gives the rows that end within `bytes`, but for blank ones.
    mutating func read(
        _ bytes: ArraySlice<UInt8>, _ body: (Row) throws(BadFile) -> Void
    ) throws(BadFile) {
        for byte in bytes { try read(byte, body) }
    }

    /// Gives the last row, where nothing ended it.
    mutating func finish(_ body: (Row) throws(BadFile) -> Void) throws(BadFile) {
        if case .quoted = place { throw BadFile(line: first, "a quote that opens here is never closed") }
        if place != .start || !fields.isEmpty { try endRow(body) }
    }

    private mutating func read(_ byte: UInt8, _ body: (Row) throws(BadFile) -> Void) throws(BadFile) {
        let wasAfterReturn = isAfterReturn
        isAfterReturn = false
        if wasAfterReturn, byte == UInt8(ascii: "\n") { return }
        switch (place, byte) {
        case (.quoted, UInt8(ascii: "\"")): place = .afterQuote
        case (.quoted, _):
            if byte == UInt8(ascii: "\n") { line += 1 }
            try append(byte)
        case (_, UInt8(ascii: ",")): try endField()
        case (_, UInt8(ascii: "\n")), (_, UInt8(ascii: "\r")):
            isAfterReturn = byte == UInt8(ascii: "\r")
            try endRow(body)
            line += 1
            first = line
        case (.start, UInt8(ascii: "\"")): place = .quoted
        case (.afterQuote, UInt8(ascii: "\"")):
            place = .quoted
            try append(byte)
        case (.afterQuote, _): throw BadFile(line: line, "there is more in a field after its quotes")
        case (.plain, UInt8(ascii: "\"")):
            throw BadFile(line: line, "there is a quote in a field that doesn't begin with one")
        case (.start, _), (.plain, _):
            place = .plain
            try append(byte)
        }
    }

    private mutating func append(_ byte: UInt8) throws(BadFile) {
        guard field.count < FileLimits.piece else {
            throw BadFile(line: first, "a field is longer than \(FileLimits.piece >> 20) MiB")
        }
        field.append(byte)
    }

    private mutating func endField() throws(BadFile) {
        guard fields.count < RowReader.mostFields else {
            throw BadFile(line: first, "it has more than \(RowReader.mostFields) fields")
        }
        fields.append(try String(file: field, line: first))
        field.removeAll(keepingCapacity: true)
        place = .start
    }

    private mutating func endRow(_ body: (Row) throws(BadFile) -> Void) throws(BadFile) {
        if case .start = place, fields.isEmpty { return }
        try endField()
        let row = Row(fields: fields, line: first)
        fields.removeAll(keepingCapacity: true)
        try body(row)
    }
}
