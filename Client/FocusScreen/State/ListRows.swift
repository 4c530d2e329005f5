/// The rows of a list. Rows with an id can be selected; headings have none. A long list answers without
/// visiting all its rows.
package protocol ListRows<ID> {
    associatedtype ID: Hashable & Sendable

    /// The number of rows.
    var count: Int { get }
    /// The number of rows that can be selected.
    var choiceCount: Int { get }
    /// Returns the index of the selectable row number `choice`, counted from 0.
    func index(ofChoice choice: Int) -> Int
    /// Returns the number of the selectable row with this id, or nil.
    func choice(of id: ID) -> Int?
    /// Returns the id of the row at an index; nil for a heading.
    func id(at index: Int) -> ID?
}

/// The rows of a short list, given by their ids.
package struct RowIDs<ID: Hashable & Sendable>: ListRows {
    private let ids: [ID?]
    /// The indexes of the rows that can be selected.
    private let choices: [Int]

    /// The rows with these ids. Cost: linear in their number.
    ///
    /// - Parameter ids: The id of each row; nil for a heading.
    package init(_ ids: [ID?]) {
        self.ids = ids
        choices = ids.indices.filter { ids[$0] != nil }
    }

    /// The number of rows.
    package var count: Int { ids.count }

    /// The number of rows that can be selected.
    package var choiceCount: Int { choices.count }

    /// Returns the index of the selectable row number `choice`, counted from 0.
    package func index(ofChoice choice: Int) -> Int { choices[choice] }

    /// Returns the number of the selectable row with this id, or nil. Cost: linear in the rows.
    package func choice(of id: ID) -> Int? { choices.firstIndex { ids[$0] == id } }

    /// Returns the id of the row at an index; nil for a heading.
    package func id(at index: Int) -> ID? { ids[index] }
}
