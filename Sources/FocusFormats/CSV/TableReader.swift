import FocusCore

/// The meaning of a table's rows, given its header.
protocol EntryTable {
    /// Reads the header.
    ///
    /// - Throws: `FileFormatError` if a required column is missing or occurs twice.
    mutating func begin(_ columns: Columns) throws(FileFormatError)
    /// Reads a row. Its entry is passed to `body` now or in a later call.
    ///
    /// - Throws: `FileFormatError` if the whole table can't be read.
    mutating func read(_ row: TableRow, _ body: (ParsedItem) -> Void) throws(FileFormatError)
    /// Passes the remaining entries to `body` after all rows were read.
    mutating func finish(_ body: (ParsedItem) -> Void)
}

extension EntryTable {
    mutating func finish(_ body: (ParsedItem) -> Void) {}
}

/// A table's columns by their names, regardless of case.
struct Columns {
    private var indexes: [String: [Int]] = [:]
    let line: Int
    /// The names as the header has them.
    let names: [String]

    init(_ header: RowReader.Row) {
        line = header.line
        names = header.fields
        for (index, field) in header.fields.enumerated() {
            indexes[Columns.key(field), default: []].append(index)
        }
    }

    /// The indices of the columns with this name.
    subscript(name: String) -> [Int] { indexes[Columns.key(name)] ?? [] }

    /// Checks that there is exactly one column with this name.
    ///
    /// - Throws: `FileFormatError` if there is none, or if there are several.
    func require(_ name: String) throws(FileFormatError) {
        guard let index = self[name].first else {
            throw FileFormatError(line: line, "the column '\(name)' is missing")
        }
        guard self[name] == [index] else {
            throw FileFormatError(line: line, "two columns are called '\(name)'")
        }
    }

    /// Returns the name in lower case, with single spaces between its words.
    private static func key(_ name: String) -> String {
        let words = name.split(whereSeparator: \.isWhitespace)
        return words.joined(separator: " ").lowercased()
    }
}

/// A row of a table with named columns.
struct TableRow {
    let columns: Columns
    let row: RowReader.Row
    var line: Int { row.line }

    /// The text in the first non-empty column with this name; nil if all are empty.
    subscript(name: String) -> String? { values(name).first }

    /// Returns the distinct non-empty texts in the columns with this name, trimmed of white space.
    func values(_ name: String) -> [String] {
        var values: [String] = []
        for index in columns[name] where index < row.fields.count {
            let text = String(row.fields[index].unicodeScalars.withoutSpaceAround)
            if !text.isEmpty, !values.contains(text) { values.append(text) }
        }
        return values
    }

    /// Returns the text in a required column.
    ///
    /// - Throws: `FileFormatError` if it is empty.
    func require(_ name: String) throws(FileFormatError) -> String {
        guard let text = self[name] else { throw FileFormatError(line: line, "'\(name)' is missing") }
        return text
    }
}

/// A reader of tables with a header line.
struct TableReader<Table: EntryTable>: EntryReader {
    private var rows = RowReader()
    private var columns: Columns?
    private var table: Table

    init(_ table: Table) { self.table = table }

    mutating func read(_ bytes: ArraySlice<UInt8>, _ body: (ParsedItem) -> Void) throws(FileFormatError) {
        // The reader is moved out of `self`, so that `self` can be changed while rows are read.
        var rows = self.rows
        self.rows = RowReader()
        try rows.read(bytes) { row throws(FileFormatError) in try self.read(row, body) }
        self.rows = rows
    }

    mutating func finish(_ body: (ParsedItem) -> Void) throws(FileFormatError) {
        var rows = self.rows
        try rows.finish { row throws(FileFormatError) in try self.read(row, body) }
        table.finish(body)
    }

    private mutating func read(
        _ row: Result<RowReader.Row, FileFormatError>, _ body: (ParsedItem) -> Void
    ) throws(FileFormatError) {
        switch row {
        case .success(let row):
            if row.fields.allSatisfy({ $0.unicodeScalars.allSatisfy(\.properties.isWhitespace) }) { return }
            guard let columns else {
                let columns = Columns(row)
                try table.begin(columns)
                self.columns = columns
                return
            }
            // Concatenated tables repeat the header.
            if row.fields == columns.names { return }
            try table.read(TableRow(columns: columns, row: row), body)
        case .failure(let problem):
            // Without its header a table can't be read.
            guard columns != nil else { throw problem }
            body(ParsedItem(unreadable: problem))
        }
    }
}
