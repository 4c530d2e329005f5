/// Rows that a person moves in, of which those with an id can be selected. A long list says where things are without
/// being gone through.
package protocol ListRows<ID> {
    associatedtype ID: Hashable & Sendable

    /// How many rows there are.
    var count: Int { get }
    /// How many of them can be selected.
    var choiceCount: Int { get }
    /// The index of the row that is so many of those that can be selected, from 0.
    func index(ofChoice choice: Int) -> Int
    /// Which of the rows that can be selected has this id; nil where none has.
    func choice(of id: ID) -> Int?
    /// The id of the row at an index; nil for a heading.
    func id(at index: Int) -> ID?
}

/// Rows of a short list, by their ids.
package struct RowIDs<ID: Hashable & Sendable>: ListRows {
    private let ids: [ID?]
    private let choices: [Int]

    /// - Parameter ids: a row's each; nil for a heading.
    ///
    /// Cost: linear in them.
    package init(_ ids: [ID?]) {
        self.ids = ids
        choices = ids.indices.filter { ids[$0] != nil }
    }

    /// How many rows there are.
    package var count: Int { ids.count }

    /// How many of them can be selected.
    package var choiceCount: Int { choices.count }

    /// The index of the row that is so many of those that can be selected, from 0.
    package func index(ofChoice choice: Int) -> Int { choices[choice] }

    /// Which of the rows that can be selected has this id; nil where none has. Cost: linear in the rows.
    package func choice(of id: ID) -> Int? { choices.firstIndex { ids[$0] == id } }

    /// The id of the row at an index; nil for a heading.
    package func id(at index: Int) -> ID? { ids[index] }
}
