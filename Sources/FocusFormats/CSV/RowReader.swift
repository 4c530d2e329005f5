import FocusText

/// Cuts a table into its rows (RFC 4180): fields with separators between them, those with separators, quotes or ends of lines
/// in them in quotes, and a quote in those doubled. Lines end as they like. Commas, semicolons or tabs separate fields.
///
/// A row that can't be read is passed over: if it goes over several lines, its first one is, and the others are read again.
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
        /// In the rest of a line that can't be read.
        case passing
    }

    private static let mostFields = 256
    /// The longest row, in bytes. A longer one is lines between two quotes that aren't closed.
    private static let longest = 1 << 16

    /// The first line that says something, which shows the separator; nil once it has.
    private var head: [UInt8]? = []
    private var separator = UInt8(ascii: ",")
    private var place = Place.start
    private var field: [UInt8] = []
    private var fields: [String] = []
    private var line = 1
    /// The line that the row begins on.
    private var first = 1
    /// How many bytes the row has so far.
    private var length = 0
    /// Whether a carriage return has ended the line, of which a line feed may be the other half.
    private var isAfterReturn = false
    /// The row's bytes after its first line, once a quoted field has gone beyond that.
    private var later: [UInt8]?
    private var firstEndsWithReturn = false
    /// Why the row can't be read.
    private var fault: String?

    /// Gives the rows that end within `bytes`, but for blank ones, and what is wrong with those that can't be read.
    mutating func read(
        _ bytes: ArraySlice<UInt8>, _ body: (Result<Row, BadFile>) throws(BadFile) -> Void
    ) throws(BadFile) {
        var bytes = bytes
        while head != nil, let byte = bytes.popFirst() { try readHead(byte, body) }
        guard head == nil else { return }
        try readRows(bytes, body)
    }

    /// Gives the last row, if nothing ended it.
    mutating func finish(_ body: (Result<Row, BadFile>) throws(BadFile) -> Void) throws(BadFile) {
        if let head, !head.isEmpty { try endHead(head, body) }
        while case .quoted = place {
            let again = later ?? []
            try giveUp("a quote that opens here is never closed", body)
            guard !again.isEmpty else {
                place = .passing
                break
            }
            readAgain()
            try readRows(again[...], body)
        }
        if case .passing = place { return }
        if place != .start || !fields.isEmpty { try endRow(body) }
        if let fault { try giveUp(fault, body) }
    }

    // MARK: - The separator

    private mutating func readHead(
        _ byte: UInt8, _ body: (Result<Row, BadFile>) throws(BadFile) -> Void
    ) throws(BadFile) {
        guard var line = head else { return }
        head = nil
        line.append(byte)
        let isEnd = RowReader.isLineEnd(byte)
        if isEnd, line.allSatisfy({ $0 <= 0x20 }) {
            try readRows(line[...], body)
            head = []
        } else if isEnd || line.count > FileLimits.piece {
            try endHead(line, body)
        } else {
            head = line
        }
    }

    private mutating func endHead(
        _ line: [UInt8], _ body: (Result<Row, BadFile>) throws(BadFile) -> Void
    ) throws(BadFile) {
        head = nil
        if let named = Separator(namedBy: line) {
            separator = named.byte
            try readRows(line[(line.firstIndex(where: RowReader.isLineEnd) ?? line.endIndex)...], body)
        } else {
            separator = Separator(of: line).byte
            try readRows(line[...], body)
        }
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    // MARK: - Rows

    private mutating func readRows(
        _ bytes: ArraySlice<UInt8>, _ body: (Result<Row, BadFile>) throws(BadFile) -> Void
    ) throws(BadFile) {
        var bytes = bytes
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            later?.append(byte)
            try read(byte, body)
            guard let problem = fault else { continue }
            let again = later ?? []
            try giveUp(problem, body)
            if !again.isEmpty {
                readAgain()
                if again.count <= index - bytes.startIndex {
                    index -= again.count
                } else {
                    bytes = (again + bytes[index...])[...]
                    index = bytes.startIndex
                }
            } else if RowReader.isLineEnd(byte) {
                endLine(byte)
            } else {
                place = .passing
            }
        }
    }

    private mutating func read(
        _ byte: UInt8, _ body: (Result<Row, BadFile>) throws(BadFile) -> Void
    ) throws(BadFile) {
        let wasAfterReturn = isAfterReturn
        isAfterReturn = false
        let isSecondHalf = wasAfterReturn && byte == UInt8(ascii: "\n")
        if isSecondHalf, place != .quoted { return }
        length += 1
        switch (place, byte) {
        case (.passing, _): if RowReader.isLineEnd(byte) { endLine(byte) }
        case _ where length > RowReader.longest: fault = "it is longer than \(RowReader.longest >> 10) KiB"
        case (.quoted, UInt8(ascii: "\"")): place = .afterQuote
        case (.quoted, _):
            field.append(byte)
            guard RowReader.isLineEnd(byte) else { return }
            isAfterReturn = byte == UInt8(ascii: "\r")
            if !isSecondHalf { line += 1 }
            guard later == nil else { return }
            firstEndsWithReturn = isAfterReturn
            later = []
        case (_, separator): endField()
        case (_, UInt8(ascii: "\n")), (_, UInt8(ascii: "\r")):
            try endRow(body)
            if fault == nil { endLine(byte) }
        case (.start, UInt8(ascii: "\"")): place = .quoted
        case (.afterQuote, UInt8(ascii: "\"")):
            place = .quoted
            field.append(byte)
        case (.afterQuote, UInt8(ascii: " ")), (.afterQuote, UInt8(ascii: "\t")): return
        case (.afterQuote, _): fault = "there is more in a field after its quotes"
        case (.plain, UInt8(ascii: "\"")):
            // Spaces may stand before a quote, and at a line's start a byte order mark.
            guard said(field).allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
                fault = "there is a quote in a field that doesn't begin with one"
                return
            }
            field.removeAll(keepingCapacity: true)
            place = .quoted
        case (.start, _), (.plain, _):
            place = .plain
            field.append(byte)
        }
    }

    /// What a field says: of a row's first one, what comes after a byte order mark.
    private func said(_ field: [UInt8]) -> ArraySlice<UInt8> {
        fields.isEmpty ? field[...].withoutByteOrderMark : field[...]
    }

    private mutating func endField() {
        place = .start
        guard fields.count < RowReader.mostFields else {
            fault = "it has more than \(RowReader.mostFields) fields"
            return
        }
        guard let text = String(validating: said(field), as: UTF8.self) else {
            fault = "it is not UTF-8"
            return
        }
        fields.append(text)
        field.removeAll(keepingCapacity: true)
    }

    private mutating func endRow(
        _ body: (Result<Row, BadFile>) throws(BadFile) -> Void
    ) throws(BadFile) {
        if case .start = place, fields.isEmpty { return }
        endField()
        guard fault == nil else { return }
        let row = Row(fields: fields, line: first)
        clear()
        try body(.success(row))
    }

    private mutating func endLine(_ byte: UInt8) {
        clear()
        isAfterReturn = byte == UInt8(ascii: "\r")
        line += 1
        first = line
    }

    /// Says what is wrong with the row, and forgets it.
    private mutating func giveUp(
        _ problem: String, _ body: (Result<Row, BadFile>) throws(BadFile) -> Void
    ) throws(BadFile) {
        clear()
        try body(.failure(BadFile(line: first, problem)))
    }

    /// Begins at the second line of the row that was given up.
    private mutating func readAgain() {
        isAfterReturn = firstEndsWithReturn
        line = first + 1
        first = line
    }

    private mutating func clear() {
        place = .start
        field.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        length = 0
        later = nil
        fault = nil
    }
}

/// What separates the fields of a table.
struct Separator {
    /// A character of ASCII.
    let byte: UInt8

    private static let known = Array(",;\t".utf8)

    /// The separator that a table's first line names for spreadsheets, `sep=;`; nil if that line is none of these.
    init?(namedBy line: some Sequence<UInt8>) {
        let said = Array(line)[...].withoutByteOrderMark.filter {
            $0 != UInt8(ascii: "\"") && $0 >= 0x20 || $0 == 0x09
        }
        guard said.count == 5, String(decoding: said.prefix(4), as: UTF8.self).lowercased() == "sep=",
            let last = said.last, last < 0x80
        else { return nil }
        byte = last
    }

    /// The separator that stands most often in a header, outside of quotes; the comma if none does.
    init(of header: some Sequence<UInt8>) {
        var counts = Separator.known.map { _ in 0 }
        var isQuoted = false
        for byte in header {
            if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if !isQuoted, let index = Separator.known.firstIndex(of: byte) {
                counts[index] += 1
            }
        }
        byte = Separator.known[counts.firstIndex(of: counts.max() ?? 0) ?? 0]
    }
}
