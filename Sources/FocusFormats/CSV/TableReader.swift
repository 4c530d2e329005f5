import FocusCore

/// What a table's rows mean, once its header has said which column is which.
protocol EntryTable {
    /// Takes in the header.
    mutating func begin(_ columns: Columns) throws(BadFile)
    /// Reads a row. `take` is given what it says, then or later.
    ///
    /// - Throws: `BadFile` if the whole table can't be read.
    mutating func read(_ row: TableRow, _ take: (FoundEntry) -> Void) throws(BadFile)
    /// Gives what is left once all rows were read.
    mutating func finish(_ take: (FoundEntry) -> Void)
}

extension EntryTable {
    mutating func finish(_ take: (FoundEntry) -> Void) {}
}

/// A table's columns by their names, whatever the case.
struct Columns {
    private var indexes: [String: [Int]] = [:]
    let line: Int
    let names: [String]

    init(_ header: RowReader.Row) {
        line = header.line
        names = header.fields
        for (index, field) in header.fields.enumerated() {
            indexes[Columns.key(field), default: []].append(index)
        }
    }

    /// The places of the columns of this name.
    subscript(name: String) -> [Int] { indexes[Columns.key(name)] ?? [] }

    /// Throws if there is no column of this name, or if there are several.
    func require(_ name: String) throws(BadFile) {
        guard let index = self[name].first else {
            throw BadFile(line: line, "the column '\(name)' is missing")
        }
        guard self[name] == [index] else { throw BadFile(line: line, "two columns are called '\(name)'") }
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

    /// What stands in the column of this name, or in the first of them that has something; nil if nothing does.
    subscript(name: String) -> String? { values(name).first }

    /// What stands in the columns of this name, less the spaces around it, everything once.
    func values(_ name: String) -> [String] {
        var values: [String] = []
        for index in columns[name] where index < row.fields.count {
            let text = String(row.fields[index].unicodeScalars.withoutSpaceAround)
            if !text.isEmpty, !values.contains(text) { values.append(text) }
        }
        return values
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
        try rows.read(bytes) { row throws(BadFile) in try self.read(row, take) }
        self.rows = rows
    }

    mutating func finish(_ take: (FoundEntry) -> Void) throws(BadFile) {
        var rows = self.rows
        try rows.finish { row throws(BadFile) in try self.read(row, take) }
        table.finish(take)
    }

    private mutating func read(
        _ row: Result<RowReader.Row, BadFile>, _ take: (FoundEntry) -> Void
    ) throws(BadFile) {
        switch row {
        case .success(let row):
            if row.fields.allSatisfy({ $0.unicodeScalars.allSatisfy(\.properties.isWhitespace) }) { return }
            guard let columns else {
                let columns = Columns(row)
                try table.begin(columns)
                self.columns = columns
                return
            }
            // Tables that were put one after the other have a header each.
            if row.fields == columns.names { return }
            try table.read(TableRow(columns: columns, row: row), take)
        case .failure(let problem):
            // Without its header a table says nothing.
            guard columns != nil else { throw problem }
            take(FoundEntry(unreadable: problem))
        }
    }
}
