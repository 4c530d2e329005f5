package import FocusCore
import FocusDevice
import FocusFront
package import FocusText

/// A history grouped by days, newest first, and within a day by beginning, from which lists are made. A
/// record's *place* is its number in this order, from 0. The index is made once per history, for all
/// searches. It holds numbers, not texts: texts are made only for the rows that are shown.
package struct HistoryIndex: Sendable {
    /// A day on which phases began, with the places of these phases.
    struct DayGroup {
        let day: Day
        let places: Range<Int>
    }

    let days: [DayGroup]
    /// The history's records, in its order.
    private let records: [PhaseRecord]
    /// For each place, the record's index in `records`.
    private let order: [Int32]
    /// For each place, a hash of the record's name. It makes the lookup of a name fast.
    private let nameHashes: [UInt64]
    /// The work on the days, of all records.
    let totals: DayTotals
    private let calendar: LocalCalendar
    /// The zone for the times of day.
    private let zone: LocalZone
    /// The names of the other laptops, by the replicas that they write under.
    private let laptops: [ReplicaID: String]

    /// An index without records.
    init() { self.init(History(Journal(), ReplayState(), at: .zero), .fixed(), .utc) }

    /// The index of a history. Cost: linear in the records, plus some calendar lookups for each day that has
    /// records.
    ///
    /// - Parameters:
    ///   - zone: The zone for the times of day.
    ///   - laptops: The names of the other laptops, by the replicas that they write under.
    package init(
        _ history: History, _ calendar: LocalCalendar, _ zone: LocalZone, laptops: [ReplicaID: String] = [:]
    ) {
        self.laptops = laptops
        let records = history.records
        self.records = records
        totals = DayTotals(history, calendar)
        self.calendar = calendar
        self.zone = zone
        var cursor = DayCursor(calendar)
        let dayOf = records.map { cursor.day(of: $0.startedAt) }
        var order = Array((0..<Int32(clamping: records.count)).reversed())
        // The history is ordered by the end, so it is mostly sorted by day and beginning already.
        func key(_ index: Int) -> (Day, SharedInstant, Int) {
            (dayOf[index], records[index].startedAt, index)
        }
        if records.indices.dropFirst().contains(where: { key($0 - 1) > key($0) }) {
            order.sort { key(Int($0)) > key(Int($1)) }
        }
        self.order = order
        var days: [DayGroup] = []
        var start = 0
        for place in order.indices {
            let day = dayOf[Int(order[place])]
            guard place + 1 == order.count || dayOf[Int(order[place + 1])] != day else { continue }
            days.append(DayGroup(day: day, places: start..<place + 1))
            start = place + 1
        }
        self.days = days
        nameHashes = order.map { HistoryIndex.nameHash(records[Int($0)].name) }
    }

    private static func nameHash(_ name: RecordName) -> UInt64 {
        name.run.position.stamp.rawValue &+ name.run.position.replica.rawValue
            &+ UInt64(bitPattern: name.ordinal) &* 0x9E37_79B9_7F4A_7C15
    }

    /// The number of phases.
    var count: Int { order.count }

    /// Returns the record at a place.
    func record(at place: Int) -> PhaseRecord { records[Int(order[place])] }

    /// Returns the place of the record with this name, or nil.
    ///
    /// Cost: linear in the records, with one comparison of hashes for each.
    func place(of name: RecordName) -> Int? {
        let hash = HistoryIndex.nameHash(name)
        return nameHashes.indices.first { nameHashes[$0] == hash && record(at: $0).name == name }
    }

    /// Returns the index of the day that contains a place. The search starts at the day `first`.
    func day(of place: Int, from first: Int) -> Int {
        var low = first
        var high = days.count
        while low < high {
            let middle = (low + high) / 2
            if days[middle].places.upperBound <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the work on the days, of the records at some places only. Cost: linear in the places, apart from
    /// sorting them.
    func totals(of places: [Int32]) -> DayTotals {
        DayTotals(places.map { order[Int($0)] }.sorted().map { records[Int($0)] }, calendar)
    }

    /// Returns the heading of a day.
    func heading(of day: Int, _ totals: DayTotals) -> (name: String, total: FocusTotal) {
        (days[day].day.name, totals.total(on: days[day].day))
    }

    /// Returns the row of the phase at a place.
    func row(at place: Int) -> PhaseRow {
        let record = record(at: place)
        // A break of a session has the laptop of its work, which names it. An added or imported break has its own.
        let namesLaptop = record.activity == .work || record.source != nil
        return PhaseRow(record, on: namesLaptop ? laptops[record.run.starter] : nil) { zone.clock($0) }
    }

    /// Returns the whole history, or the phases that match `filter`.
    package func list(_ filter: String = "") -> HistoryList {
        HistoryList(self, matching: filter.isEmpty ? nil : HistorySearch(self).places(filter))
    }
}
