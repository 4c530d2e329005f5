/// The rows of a list. Rows with an id can be selected; headings have none. A type for a long list needn't
/// visit all rows to answer.
package protocol ListRows<ID> {
    associatedtype ID: Hashable & Sendable

    /// The number of rows.
    var count: Int { get }
    /// The number of rows that can be selected.
    var choiceCount: Int { get }
    /// Returns the index of a row, by its number among the selectable rows from 0.
    func index(ofChoice choice: Int) -> Int
    /// Returns the number of the row with this id among the selectable rows, from 0. Nil if there is none.
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

    /// Returns the index of a row, by its number among the selectable rows from 0.
    package func index(ofChoice choice: Int) -> Int { choices[choice] }

    /// Returns the number of the row with this id among the selectable rows, from 0. Nil if there is none.
    /// Cost: linear in the rows.
    package func choice(of id: ID) -> Int? { choices.firstIndex { ids[$0] == id } }

    /// Returns the id of the row at an index; nil for a heading.
    package func id(at index: Int) -> ID? { ids[index] }
}
