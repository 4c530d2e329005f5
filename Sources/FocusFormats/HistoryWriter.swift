package import FocusText

/// Writes a history as a file of some format, piece by piece.
package struct HistoryWriter {
    private let format: HistoryFormat
    private let context: WritingContext
    private var writer: any EntryWriter
    /// How many entries the format had no room for.
    package private(set) var leftOut = 0
    /// How many labels a spreadsheet may take for formulas, or would if they weren't disarmed.
    package private(set) var formulas = 0

    /// - Parameter count: How many entries the file will have, less those that the format has no room for.
    package init(_ format: HistoryFormat, _ context: WritingContext, count: Int) {
        self.format = format
        self.context = context
        writer =
            switch format {
            case .csv: CSVWriter(isDisarmed: context.isDisarmed)
            case .ics: CalendarWriter()
            case .timewarrior: TimewarriorWriter(count: count)
            case .openPomodoro: OpenPomodoroWriter(zone: context.zone)
            case .toggl: TogglWriter(context)
            }
    }

    /// What stands before the entries.
    package var head: String { writer.head }

    /// An entry's text; the empty one where the format has no room for it.
    package mutating func text(_ entry: HistoryEntry) -> String {
        guard format.kept(entry, zone: context.zone) != nil else {
            leftOut += 1
            return ""
        }
        if format == .csv, Formula.isIn(entry.label) { formulas += 1 }
        return writer.text(entry)
    }

    /// What stands after the entries.
    package var tail: String { writer.tail }
}

/// What a file is written with besides its entries.
package struct WritingContext: Sendable {
    /// The place whose clocks local times are by.
    package let zone: LocalZone
    /// Whose entries they are, where the format asks for an address.
    package let email: String?
    /// Whether labels in tables are written so that a spreadsheet takes none for a formula.
    package let isDisarmed: Bool

    /// What goes into a file besides its entries; unless said otherwise, no address, and labels as they are.
    package init(zone: LocalZone, email: String? = nil, isDisarmed: Bool = false) {
        self.zone = zone
        self.email = email
        self.isDisarmed = isDisarmed
    }
}

/// Writes entries of one format, one after the other.
protocol EntryWriter {
    /// What stands before the entries.
    var head: String { get }
    /// An entry as the format holds it.
    mutating func text(_ entry: HistoryEntry) -> String
    /// What stands after them.
    var tail: String { get }
}
