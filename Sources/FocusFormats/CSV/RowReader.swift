import FocusText

/// A reader that cuts a table into rows (RFC 4180). Commas, semicolons or tabs separate fields. A
/// field with separators, quotes or line ends is in quotes, and a quote within it is doubled. Lines
/// may end with LF, CR or both.
///
/// A row that can't be read is skipped. If it spans several lines, only its first line is skipped, and the
/// others are read again.
struct RowReader {
    /// A row of a table.
    struct Row {
        let fields: [String]
        /// The first line of the row, from 1.
        let line: Int
    }

    private enum State {
        /// At the start of a field.
        case start
        /// In a field without quotes.
        case unquoted
        /// In a quoted field.
        case quoted
        /// After a quote in a quoted field: it ends the field, or a second quote
        /// follows and both stand for one.
        case afterQuote
        /// In the rest of a line that is skipped.
        case skipping
    }

    /// The most fields in a row.
    private static let fieldLimit = 256
    /// The longest row, in bytes. A longer one is taken for a quote that isn't closed.
    private static let lengthLimit = 1 << 16

    /// The bytes so far of the first line that isn't blank, which shows the separator; nil after that line.
    private var head: [UInt8]? = []
    private var separator = UInt8(ascii: ",")
    private var state = State.start
    /// The bytes of the field so far.
    private var field: [UInt8] = []
    /// The complete fields of the row so far.
    private var fields: [String] = []
    private var line = 1
    /// The first line of the row.
    private var first = 1
    /// The number of bytes in the row so far.
    private var length = 0
    /// Whether the last byte was a carriage return that ended a line. A line feed after it
    /// belongs to the same line end.
    private var isAfterReturn = false
    /// The bytes of the row after its first line; nil unless a quoted field extends beyond that line.
    private var laterLines: [UInt8]?
    /// Whether the first line of the row ended with a carriage return.
    private var firstEndsWithReturn = false
    /// The reason why the row can't be read; nil if there is none so far.
    private var fault: String?

    /// Passes each row that ends within `bytes` to `body`, or the reason why the row can't be read. Blank
    /// rows are skipped.
    mutating func read(
        _ bytes: ArraySlice<UInt8>, _ body: (Result<Row, FileFormatError>) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        var bytes = bytes
        while head != nil, let byte = bytes.popFirst() { try readHead(byte, body) }
        guard head == nil else { return }
        try readRows(bytes, body)
    }

    /// Passes the last row to `body`, if no line end followed it.
    mutating func finish(_ body: (Result<Row, FileFormatError>) throws(FileFormatError) -> Void)
        throws(FileFormatError)
    {
        if let head, !head.isEmpty { try endHead(head, body) }
        while case .quoted = state {
            let again = laterLines ?? []
            try fail("a quote that opens here is never closed", body)
            guard !again.isEmpty else {
                state = .skipping
                break
            }
            rewind()
            try readRows(again[...], body)
        }
        if case .skipping = state { return }
        if state != .start || !fields.isEmpty { try endRow(body) }
        if let fault { try fail(fault, body) }
    }

    // MARK: - The separator

    /// Adds a byte to the first line, and reads the line as soon as it is complete.
    private mutating func readHead(
        _ byte: UInt8, _ body: (Result<Row, FileFormatError>) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
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

    /// Sets the separator from the first line, and reads the line unless it only names the separator.
    private mutating func endHead(
        _ line: [UInt8], _ body: (Result<Row, FileFormatError>) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
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

    /// Reads bytes of rows. If a row can't be read, its lines after the first are read again.
    private mutating func readRows(
        _ bytes: ArraySlice<UInt8>, _ body: (Result<Row, FileFormatError>) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        var bytes = bytes
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            laterLines?.append(byte)
            try read(byte, body)
            guard let problem = fault else { continue }
            let again = laterLines ?? []
            try fail(problem, body)
            if !again.isEmpty {
                rewind()
                if again.count <= index - bytes.startIndex {
                    index -= again.count
                } else {
                    bytes = (again + bytes[index...])[...]
                    index = bytes.startIndex
                }
            } else if RowReader.isLineEnd(byte) {
                endLine(byte)
            } else {
                state = .skipping
            }
        }
    }

    private mutating func read(
        _ byte: UInt8, _ body: (Result<Row, FileFormatError>) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        let wasAfterReturn = isAfterReturn
        isAfterReturn = false
        let isSecondHalf = wasAfterReturn && byte == UInt8(ascii: "\n")
        if isSecondHalf, state != .quoted { return }
        length += 1
        switch (state, byte) {
        case (.skipping, _): if RowReader.isLineEnd(byte) { endLine(byte) }
        case _ where length > RowReader.lengthLimit:
            fault = "it is longer than \(RowReader.lengthLimit >> 10) KiB"
        case (.quoted, UInt8(ascii: "\"")): state = .afterQuote
        case (.quoted, _):
            field.append(byte)
            guard RowReader.isLineEnd(byte) else { return }
            isAfterReturn = byte == UInt8(ascii: "\r")
            if !isSecondHalf { line += 1 }
            guard laterLines == nil else { return }
            firstEndsWithReturn = isAfterReturn
            laterLines = []
        case (_, separator): endField()
        case (_, UInt8(ascii: "\n")), (_, UInt8(ascii: "\r")):
            try endRow(body)
            if fault == nil { endLine(byte) }
        case (.start, UInt8(ascii: "\"")): state = .quoted
        case (.afterQuote, UInt8(ascii: "\"")):
            state = .quoted
            field.append(byte)
        case (.afterQuote, UInt8(ascii: " ")), (.afterQuote, UInt8(ascii: "\t")): return
        case (.afterQuote, _): fault = "there is more in a field after its quotes"
        case (.unquoted, UInt8(ascii: "\"")):
            // Spaces may come before a quote, and a byte order mark at the start of a line.
            guard content(field).allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
                fault = "there is a quote in a field that doesn't begin with one"
                return
            }
            field.removeAll(keepingCapacity: true)
            state = .quoted
        case (.start, _), (.unquoted, _):
            state = .unquoted
            field.append(byte)
        }
    }

    /// Returns a field's content. In the first field of a row a byte order mark is skipped.
    private func content(_ field: [UInt8]) -> ArraySlice<UInt8> {
        fields.isEmpty ? field[...].withoutByteOrderMark : field[...]
    }

    private mutating func endField() {
        state = .start
        guard fields.count < RowReader.fieldLimit else {
            fault = "it has more than \(RowReader.fieldLimit) fields"
            return
        }
        guard let text = String(validating: content(field), as: UTF8.self) else {
            fault = "it is not UTF-8"
            return
        }
        fields.append(text)
        field.removeAll(keepingCapacity: true)
    }

    /// Passes the row to `body`, unless it is blank or can't be read.
    private mutating func endRow(
        _ body: (Result<Row, FileFormatError>) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        if case .start = state, fields.isEmpty { return }
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

    /// Passes the reason why the row can't be read to `body`, and drops the row.
    private mutating func fail(
        _ problem: String, _ body: (Result<Row, FileFormatError>) throws(FileFormatError) -> Void
    ) throws(FileFormatError) {
        clear()
        try body(.failure(FileFormatError(line: first, problem)))
    }

    /// Sets the position to the second line of the dropped row.
    private mutating func rewind() {
        isAfterReturn = firstEndsWithReturn
        line = first + 1
        first = line
    }

    private mutating func clear() {
        state = .start
        field.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        length = 0
        laterLines = nil
        fault = nil
    }
}

/// The character that separates the fields of a table.
struct Separator {
    /// The character's ASCII code.
    let byte: UInt8

    private static let candidates = Array(",;\t".utf8)

    /// Creates the separator that a table's first line names for spreadsheets, as
    /// `sep=;`. Nil for any other line.
    init?(namedBy line: some Sequence<UInt8>) {
        let content = Array(line)[...].withoutByteOrderMark.filter {
            $0 != UInt8(ascii: "\"") && $0 >= 0x20 || $0 == 0x09
        }
        guard content.count == 5, String(decoding: content.prefix(4), as: UTF8.self).lowercased() == "sep=",
            let last = content.last, last < 0x80
        else { return nil }
        byte = last
    }

    /// Creates the most frequent separator in a header, outside of quotes; the comma if there is none.
    init(of header: some Sequence<UInt8>) {
        var counts = Separator.candidates.map { _ in 0 }
        var isQuoted = false
        for byte in header {
            if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if !isQuoted, let index = Separator.candidates.firstIndex(of: byte) {
                counts[index] += 1
            }
        }
        byte = Separator.candidates[counts.firstIndex(of: counts.max() ?? 0) ?? 0]
    }
}
