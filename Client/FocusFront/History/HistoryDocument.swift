package import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusStore
import FocusText
package import FocusWords

/// As much of a history as was asked for, by day.
package struct HistoryDocument {
    /// The days on which something was, the first one first.
    package let days: [HistoryByDay.Entry]
    /// So many completed work phases a day; 0 is no goal.
    package let goal: Int64
    /// What the records of the whole history are called.
    package let handles: RecordHandles
    /// Whether there is nothing in the whole history.
    package let isEmpty: Bool
    /// When it was looked at.
    private let now: SharedInstant

    /// The history of a laptop.
    ///
    /// - Parameter zone: whose days it is told by.
    /// - Throws: where the log can't be read, or the days end before they begin.
    package init(_ request: LogRequest, _ device: Device, by zone: Zone = .here) throws(CommandFailure) {
        let (state, journal, now) = try device.using { device throws(StoreError) in
            let (state, journal) = try device.store.history()
            return (state, journal, try device.now())
        }
        try self.init(request, state, journal, at: now, by: zone)
    }

    /// - Throws: where the days end before they begin.
    package init(
        _ request: LogRequest, _ state: ReplayState, _ journal: Journal, at now: SharedInstant,
        by zone: Zone = .here
    ) throws(CommandFailure) {
        let history = History(journal, state, at: now)
        let calendar = zone.calendar
        let records = history.records.filter { request.choice.includes($0.label) }
        var range: ClosedRange<Day>?
        if let asked = request.range {
            let first = records.map(\.startedAt).min().map { calendar.day(of: $0) }
            range = try asked.days(today: calendar.day(of: now), first: first)
        }
        days = HistoryByDay(records, calendar, in: range).days
        goal = state.settings[.dailyGoal]
        handles = RecordHandles(history)
        isEmpty = history.records.isEmpty
        self.now = now
    }

    /// How much of the text is made before it is handed over, in bytes.
    private static let piece = 64 << 10

    /// Hands over what `focus log --json` prints, with its line's end, piece by piece: the whole of a long history is
    /// never there as values besides.
    package func write<Failure>(_ take: (String) throws(Failure) -> Void) throws(Failure) {
        var text = "{\"now\":\(JSON.instant(now)),\"days\":["
        for (index, day) in days.enumerated() {
            if index > 0 { text += "," }
            text += "\(summary(day))"
            try handOver(&text, take)
        }
        text += "],\"history\":["
        let records = days.flatMap { day in day.records.map { (day: day.day, record: $0) } }
            .sorted { PhaseRecord.areInOrder($0.record, $1.record) }
        var name: (day: Day, text: String)?
        for (index, (day, record)) in records.enumerated() {
            if index > 0 { text += "," }
            let dayText = if let name, name.day == day { name.text } else { "\(day)" }
            name = (day, dayText)
            text += "\(entry(record, on: dayText))"
            try handOver(&text, take)
        }
        try take(text + "]}\n")
    }

    private func handOver<Failure>(
        _ text: inout String, _ take: (String) throws(Failure) -> Void
    ) throws(Failure) {
        guard text.utf8.count >= HistoryDocument.piece else { return }
        try take(text)
        text = ""
    }

    private func summary(_ day: HistoryByDay.Entry) -> JSON {
        .object([
            JSON.Member("date", .string("\(day.day)")),
            JSON.Member("focusMs", .milliseconds(day.total.focus)),
            JSON.Member("completed", .integer(day.total.completed)),
        ])
    }

    private func entry(_ record: PhaseRecord, on day: String) -> JSON {
        .object(
            [
                JSON.Member("entry", .string(handles.whole(record.name))),
                JSON.Member("day", .string(day)),
            ] + StateDocument.members(of: record))
    }
}

/// A history by the days of a place.
package struct HistoryByDay: Sendable {
    /// What a day held.
    package struct Entry: Sendable {
        /// Which day it was.
        package let day: Day
        /// The records of the phases that began on it, by when they ended.
        package let records: [PhaseRecord]
        /// What was done on it, phases that began on another day included.
        package let total: FocusTotal
    }

    /// The days on which something was, the first one first.
    package let days: [Entry]

    /// - Parameters:
    ///   - records: Those of a history, by when they ended.
    ///   - range: Other days are left out; nil leaves none out.
    ///
    /// Cost: linear in the records, but for sorting them.
    package init(_ records: [PhaseRecord], _ calendar: LocalCalendar, in range: ClosedRange<Day>? = nil) {
        var cursor = DayCursor(calendar)
        var recordsOf: [Day: [PhaseRecord]] = [:]
        for record in records {
            let day = cursor.day(of: record.startedAt)
            if range?.contains(day) ?? true { recordsOf[day, default: []].append(record) }
        }
        let totals = Statistics(records, calendar, in: range).days
        let totalOf = Dictionary(uniqueKeysWithValues: totals.map { ($0.day, $0.total) })
        days = Set(recordsOf.keys).union(totalOf.keys).sorted().map { day in
            Entry(day: day, records: recordsOf[day] ?? [], total: totalOf[day] ?? FocusTotal())
        }
    }
}

extension Device {
    /// The history now.
    package func entries() throws(CommandFailure) -> History {
        try using { device throws(StoreError) in
            let (state, journal) = try device.store.history()
            return History(journal, state, at: try device.now())
        }
    }
}

extension History {
    /// Why a text names no entry.
    package enum NoEntry: Error, Hashable, Sendable {
        /// No entry's handle begins so.
        case none(String)
        /// So many handles begin so; the lines of the first few.
        case several(String, count: Int, [RecordLine])

        /// What is wrong, and what to type instead.
        package var sentence: String {
            switch self {
            case .none(let text):
                "The history has no entry '\(text)'. 'focus log' shows what its entries are called."
            case .several(let text, let count, let lines):
                "\(count) entries begin with '\(text)': type more of it.\(lines.map { "\n  \($0.textWithDay)" }.joined())"
            }
        }
    }

    /// The record whose handle begins so.
    ///
    /// - Throws: where there is none, or several.
    package func record(named text: String) throws(NoEntry) -> PhaseRecord {
        let handles = RecordHandles(self)
        let found = handles.records(beginning: text)
        guard let first = found.first else { throw .none(text) }
        guard found.count == 1 else {
            throw .several(
                text, count: found.count, found.prefix(5).map { RecordLine($0, handles.shown($0.name)) })
        }
        return first
    }
}
