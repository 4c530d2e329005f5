package import FocusCore

/// The history as the full-screen view lists it: the days, newest first, each with its phases. It stores only
/// places; a row is made when it is shown.
///
/// A *choice* is the number of a row that can be selected, that is, of a phase (`ListRows`). Each day has a
/// heading before its phases, so a phase's index is its choice plus the number of headings up to its day.
package struct HistoryList: RandomAccessCollection, Sendable {
    private let history: HistoryIndex
    /// The places (`HistoryIndex`) of the listed phases, in ascending order; nil if all phases are listed.
    private let places: [Int32]?
    /// The listed days, as indexes of `history.days`, each with the number of listed phases before the day.
    private let days: [(day: Int, choicesBefore: Int)]
    /// The work on the days, of the listed phases only.
    private let totals: DayTotals

    /// An empty list.
    package init() { self.init(HistoryIndex(), matching: nil) }

    /// The list of a whole history, or of the results of a search. Cost: linear in the days and in the
    /// results, apart from sorting these.
    ///
    /// - Parameter places: The places of the results, in ascending order; nil for the whole history.
    init(_ history: HistoryIndex, matching places: [Int32]?) {
        self.history = history
        self.places = places
        guard let places else {
            totals = history.totals
            days = history.days.indices.map { ($0, history.days[$0].places.lowerBound) }
            return
        }
        totals = history.totals(of: places)
        var days: [(day: Int, choicesBefore: Int)] = []
        for (choice, place) in places.enumerated() {
            if let last = days.last, history.days[last.day].places.contains(Int(place)) { continue }
            let after = days.last.map { $0.day + 1 } ?? 0
            days.append((history.day(of: Int(place), from: after), choice))
        }
        self.days = days
    }

    /// Always 0.
    package var startIndex: Int { 0 }
    /// The number of rows.
    package var endIndex: Int { choiceCount + days.count }

    /// The row at an index.
    ///
    /// Cost: logarithmic in the days; for a heading, also the total of its day.
    package subscript(index: Int) -> HistoryRow {
        let listed = listedDay(at: index)
        let day = days[listed]
        guard index > day.choicesBefore + listed else {
            let (name, total) = history.heading(of: day.day, totals)
            return .day(name, total)
        }
        return .phase(history.row(at: place(ofChoice: index - listed - 1)))
    }

    private func place(ofChoice choice: Int) -> Int { places.map { Int($0[choice]) } ?? choice }

    /// Returns the index in `days` of the day that a row belongs to. A heading's row comes after the phases
    /// and the headings of the days before it.
    private func listedDay(at index: Int) -> Int { lastDay { days[$0].choicesBefore + $0 <= index } }

    /// Returns the last index in `days` for which `holds` is true, by binary search; 0 if there is none. If
    /// `holds` is true for an index, it must be true for all smaller ones.
    private func lastDay(where holds: (Int) -> Bool) -> Int {
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
    /// The number of listed phases.
    package var choiceCount: Int { places?.count ?? history.count }

    /// Returns the index of a phase's row. Cost: logarithmic in the days.
    package func index(ofChoice choice: Int) -> Int {
        choice + lastDay { days[$0].choicesBefore <= choice } + 1
    }

    /// Returns the position of a record among the listed phases, or nil. Cost: linear in the history's
    /// records, with one comparison of hashes for each.
    package func choice(of name: RecordName) -> Int? {
        guard let place = history.place(of: name) else { return nil }
        guard let places else { return place }
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low < places.count && places[low] == place ? low : nil
    }

    /// Returns the name of the phase at an index; nil for a heading. Cost: logarithmic in the days.
    package func id(at index: Int) -> RecordName? {
        let listed = listedDay(at: index)
        guard index > days[listed].choicesBefore + listed else { return nil }
        return history.record(at: place(ofChoice: index - listed - 1)).name
    }
}
