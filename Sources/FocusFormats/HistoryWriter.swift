package import FocusText

/// A writer of a history in one format, piece by piece.
package struct HistoryWriter {
    private let format: HistoryFormat
    private let context: WritingContext
    private var writer: any EntryWriter
    /// The number of entries that the format can't hold.
    package private(set) var leftOut = 0
    /// The first of these entries, or nil if there are none.
    package private(set) var firstLeftOut: HistoryEntry?
    /// The number of labels that a spreadsheet may take for formulas. They count even if they are written so
    /// that it doesn't (`WritingContext.isDisarmed`).
    package private(set) var formulas = 0

    /// - Parameter count: The number of entries in the file, without entries that the format can't hold.
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

    /// Passes the file to `output`, piece by piece: the text before the entries, each entry, and the text after
    /// them. Leaves out entries that the format can't hold.
    ///
    /// - Throws: The errors of `output`.
    package mutating func write<Failure>(
        _ entries: some Sequence<HistoryEntry>, to output: (String) throws(Failure) -> Void
    ) throws(Failure) {
        try output(writer.head)
        for entry in entries { try output(text(entry)) }
        try output(writer.tail)
    }

    /// Returns an entry's text; empty if the format can't hold it.
    private mutating func text(_ entry: HistoryEntry) -> String {
        guard format.roundTripped(entry, zone: context.zone) != nil else {
            leftOut += 1
            firstLeftOut = firstLeftOut ?? entry
            return ""
        }
        if format == .csv, Formula.isIn(entry.label) { formulas += 1 }
        return writer.text(entry)
    }
}

/// The parameters of a file besides its entries.
package struct WritingContext: Sendable {
    /// The zone of local times.
    package let zone: LocalZone
    /// The e-mail address of the person, for formats that ask for one.
    package let email: String?
    /// Whether labels in tables are written so that a spreadsheet takes none for a formula.
    package let isDisarmed: Bool

    /// Creates the parameters of a file, by default without an address, and with labels as they are.
    package init(zone: LocalZone, email: String? = nil, isDisarmed: Bool = false) {
        self.zone = zone
        self.email = email
        self.isDisarmed = isDisarmed
    }
}

/// A writer of the entries of one format, in order.
protocol EntryWriter {
    /// The text before the entries.
    var head: String { get }
    /// Returns an entry's text in the format.
    mutating func text(_ entry: HistoryEntry) -> String
    /// The text after the entries.
    var tail: String { get }
}
