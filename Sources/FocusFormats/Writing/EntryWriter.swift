package import FocusText

/// What a file is written with besides its entries.
package struct WritingContext: Sendable {
    /// The place whose clocks local times are by.
    package let zone: LocalZone
    /// Whose entries they are, where the format asks for an address.
    package let email: String?

    /// What goes into a file besides its entries; unless said otherwise, no address.
    package init(zone: LocalZone, email: String? = nil) {
        self.zone = zone
        self.email = email
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
