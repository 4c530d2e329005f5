import FocusCore

/// What a table's rows mean, once its header has said which column is which.
protocol EntryTable {
    /// Takes in the header.
    mutating func begin(_ columns: Columns) throws(BadFile)
    /// What a row says.
    mutating func entry(_ row: TableRow) throws(BadFile) -> FoundEntry
}

/// A table's columns by their names, whatever the case.
struct Columns {
    private var indexes: [String: Int] = [:]
    let line: Int

    /// Throws where two have one name.
    init(_ header: RowReader.Row) throws(BadFile) {
        line = header.line
        for (index, field) in header.fields.enumerated() {
            let name = Columns.key(field)
            guard !name.isEmpty else { continue }
            guard indexes.updateValue(index, forKey: name) == nil else {
                throw BadFile(line: line, "two columns are called '\(field)'")
            }
        }
    }

    subscript(name: String) -> Int? { indexes[Columns.key(name)] }

    func require(_ name: String) throws(BadFile) {
        guard self[name] == nil else { return }
        throw BadFile(line: line, "the column '\(name)' is missing")
    }

    private static func key(_ name: String) -> String {
        let words = name.split(whereSeparator: \.isWhitespace)
        return words.joined(separator: " ").lowercased()
    }
}

/// A row of a table whose columns have names.
struct TableRow {
    let columns: Columns
    let row: RowReader.Row
    var line: Int { row.line }

    /// What stands in a column, less the spaces around it; nil where nothing does.
    subscript(name: String) -> String? {
        guard let index = columns[name], index < row.fields.count else { return nil }
        let text = row.fields[index].unicodeScalars.withoutSpaceAround
        return text.isEmpty ? nil : String(text)
    }

    /// What stands in a column that must have something.
    func require(_ name: String) throws(BadFile) -> String {
        guard let text = self[name] else { throw BadFile(line: line, "'\(name)' is missing") }
        return text
    }
}

/// Reads a table with a header line.
struct TableReader<Table: EntryTable>: EntryReader {
    private var rows = RowReader()
    private var columns: Columns?
    private var table: Table

    init(_ table: Table) { self.table = table }

    mutating func read(_ bytes: ArraySlice<UInt8>, _ take: (FoundEntry) -> Void) throws(BadFile) {
        // Taken out, so that it isn't changed while it gives the rows to the rest of `self`.
        var rows = self.rows
        self.rows = RowReader()
        try rows.read(bytes) { row throws(BadFile) in try self.take(row).map(take) }
        self.rows = rows
    }

    mutating func finish(_ take: (FoundEntry) -> Void) throws(BadFile) {
        var rows = self.rows
        try rows.finish { row throws(BadFile) in try self.take(row).map(take) }
    }

    /// What a row says; nil where it is the header, or nothing stands in it.
    private mutating func take(_ row: RowReader.Row) throws(BadFile) -> FoundEntry? {
        guard row.fields.contains(where: { !$0.unicodeScalars.allSatisfy(\.properties.isWhitespace) }) else {
            return nil
        }
        guard let columns else {
            let columns = try Columns(row)
            try table.begin(columns)
            self.columns = columns
            return nil
        }
        return try table.entry(TableRow(columns: columns, row: row))
    }
}
