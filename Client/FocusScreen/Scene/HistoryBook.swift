package import FocusCore
import FocusDevice
import FocusFront
package import FocusText

/// A history by its days, newest first, as lists of it are made from. It is made once for a history, whatever is looked
/// for in it, and holds numbers rather than texts: those are made for what is shown.
package struct HistoryBook: Sendable {
    /// A day on which phases began, and their places here.
    struct Entry {
        let day: Day
        let places: Range<Int>
    }

    let days: [Entry]
    private let records: [PhaseRecord]
    /// Where in the history the record at a place stands.
    private let order: [Int32]
    /// A number of each record's name, by which it is found.
    private let marks: [UInt64]
    private let totals: DayTotals
    private let clocks: LocalZone

    /// Of a history without records.
    init() { self.init(History(Journal(), ReplayState(), at: .zero), .fixed(), .utc) }

    /// - Parameter clocks: those that the times of day are told by.
    ///
    /// Cost: linear in the records, and some questions to the calendar for each day that has something.
    package init(_ history: History, _ calendar: LocalCalendar, _ clocks: LocalZone) {
        records = history.records
        totals = DayTotals(history, calendar)
        self.clocks = clocks
        var cursor = DayCursor(calendar)
        let dayOf = records.map { cursor.day(of: $0.startedAt) }
        var order = Array((0..<Int32(clamping: records.count)).reversed())
        // By the days on which they began; the order in which they ended is mostly that already.
        if zip(dayOf, dayOf.dropFirst()).contains(where: { $0 > $1 }) {
            order.sort { (dayOf[Int($0)], $0) > (dayOf[Int($1)], $1) }
        }
        self.order = order
        var days: [Entry] = []
        var start = 0
        for place in order.indices {
            let day = dayOf[Int(order[place])]
            guard place + 1 == order.count || dayOf[Int(order[place + 1])] != day else { continue }
            days.append(Entry(day: day, places: start..<place + 1))
            start = place + 1
        }
        self.days = days
        let records = records
        marks = order.map { HistoryBook.mark(records[Int($0)].name) }
    }

    private static func mark(_ name: RecordName) -> UInt64 {
        name.run.position.stamp.rawValue &+ name.run.position.replica.rawValue
            &+ UInt64(bitPattern: name.ordinal) &* 0x9E37_79B9_7F4A_7C15
    }

    /// How many phases there are.
    var count: Int { order.count }

    /// The record at a place.
    func record(at place: Int) -> PhaseRecord { records[Int(order[place])] }

    /// Where the record of this name is; nil where there is none.
    ///
    /// Cost: a number is read of each record.
    func place(of name: RecordName) -> Int? {
        let mark = HistoryBook.mark(name)
        return marks.indices.first { marks[$0] == mark && record(at: $0).name == name }
    }

    /// Which of the days, from one of them on, a place is on.
    func day(of place: Int, from first: Int) -> Int {
        var low = first
        var high = days.count
        while low < high {
            let middle = (low + high) / 2
            if days[middle].places.upperBound <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// What stands above the phases of a day.
    func heading(of day: Int) -> (name: String, total: FocusTotal) {
        (days[day].day.name, totals.total(on: days[day].day))
    }

    /// The line of the phase at a place.
    func row(at place: Int) -> PhaseRow { PhaseRow(record(at: place)) { clocks.clock($0) } }

    /// All of it, or what a search finds.
    package func list(_ filter: String = "") -> HistoryList {
        HistoryList(self, matching: filter.isEmpty ? nil : HistorySearch(self).places(filter))
    }
}
