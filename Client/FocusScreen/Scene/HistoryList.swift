package import FocusCore

/// The history as the full-screen view lists it: the days, newest first, and the phases of each. It holds where things
/// are; a row is made as it is shown.
package struct HistoryList: RandomAccessCollection, Sendable {
    private let book: HistoryBook
    /// The phases that are listed, by their places in the book; nil where all are.
    private let found: [Int32]?
    /// The days of these in the book, and how many of the phases are above each.
    private let days: [(day: Int, before: Int)]

    /// A list of nothing.
    package init() { self.init(HistoryBook(), matching: nil) }

    /// All of a history, or what a search has found in it.
    ///
    /// - Parameter found: places in the book, in its order.
    ///
    /// Cost: linear in the days, and in what was found.
    init(_ book: HistoryBook, matching found: [Int32]?) {
        self.book = book
        self.found = found
        guard let found else {
            days = book.days.indices.map { ($0, book.days[$0].places.lowerBound) }
            return
        }
        var days: [(day: Int, before: Int)] = []
        for (choice, place) in found.enumerated() {
            if let last = days.last, book.days[last.day].places.contains(Int(place)) { continue }
            let after = days.last.map { $0.day + 1 } ?? 0
            days.append((book.day(of: Int(place), from: after), choice))
        }
        self.days = days
    }

    /// 0.
    package var startIndex: Int { 0 }
    /// How many rows there are.
    package var endIndex: Int { choiceCount + days.count }

    /// The row at an index.
    ///
    /// Cost: logarithmic in the days; of a heading, working out what was done on that day.
    package subscript(index: Int) -> HistoryRow {
        let number = dayNumber(at: index)
        let day = days[number]
        guard index > day.before + number else {
            let (name, total) = book.heading(of: day.day)
            return .day(name, total)
        }
        return .phase(book.row(at: place(ofChoice: index - number - 1)))
    }

    private func place(ofChoice choice: Int) -> Int { found.map { Int($0[choice]) } ?? choice }

    /// Which of the days a row belongs to.
    private func dayNumber(at index: Int) -> Int { lastNumber { days[$0].before + $0 <= index } }

    /// The last of the days for which a condition holds that holds for all before it too; 0 where it holds for none.
    private func lastNumber(where holds: (Int) -> Bool) -> Int {
        var low = 0
        var high = days.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if holds(middle) { low = middle } else { high = middle }
        }
        return low
    }
}

extension HistoryList: ListRows {
    /// How many phases are listed.
    package var choiceCount: Int { found?.count ?? book.count }

    /// The index of a phase's row. Cost: logarithmic in the days.
    package func index(ofChoice choice: Int) -> Int { choice + lastNumber { days[$0].before <= choice } + 1 }

    /// Which of the phases is this record's; nil where none is. Cost: a number is read of each record of the history.
    package func choice(of name: RecordName) -> Int? {
        guard let place = book.place(of: name) else { return nil }
        guard let found else { return place }
        var low = 0
        var high = found.count
        while low < high {
            let middle = (low + high) / 2
            if found[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low < found.count && found[low] == place ? low : nil
    }

    /// The name of the phase at an index; nil for a heading. Cost: logarithmic in the days.
    package func id(at index: Int) -> RecordName? {
        let number = dayNumber(at: index)
        guard index > days[number].before + number else { return nil }
        return book.record(at: place(ofChoice: index - number - 1)).name
    }
}
