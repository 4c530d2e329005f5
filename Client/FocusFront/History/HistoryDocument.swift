package import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusStore
import FocusText

/// The requested part of a history, by day.
package struct HistoryDocument {
    /// The days with entries, the first one first.
    package let days: [HistoryByDay.Entry]
    /// The goals.
    package let goals: Goals
    /// The handles of all records in the history. Cost: O(n log n) in the records.
    package var handles: RecordHandles { RecordHandles(history) }
    /// Whether the whole history is empty.
    package var isEmpty: Bool { history.records.isEmpty }
    /// Whether a phase has begun that isn't in the history yet.
    package var hasPhaseInProgress: Bool {
        switch TimerState(state, at: now).status {
        case .running: true
        case .paused(let run, _): run.hasBeenRunning
        case .stopped, .waiting: false
        }
    }

    /// The names of the completed work phases that don't count in the totals, because phases counted before
    /// cover more than half of each. Cost: linear in the records.
    package var uncounted: Set<RecordName> { records.uncounted }

    /// The whole history.
    private let history: History
    /// The records of the requested labels, in the history's order.
    private let records: [PhaseRecord]
    /// The state of the log, which has the laptops' names.
    private let state: ReplayState
    /// The replicas of this laptop. It is nil if the laptop is in no group.
    private let own: Set<ReplicaID>?
    /// When the history was read, in shared time.
    private let now: SharedInstant

    /// The history of a laptop.
    ///
    /// - Parameter zone: The time zone of the days.
    /// - Throws: `CommandFailure` if the log can't be read, or the range ends before it begins.
    package init(_ request: LogRequest, _ device: Device, by zone: Zone = .current) throws(CommandFailure) {
        let (state, journal, own, now) = try device.using { device throws(StoreError) in
            let (state, journal) = try device.store.history()
            return (state, journal, try device.ownReplicasInGroup(), try device.now())
        }
        try self.init(request, state, journal, own: own, at: now, by: zone)
    }

    /// The history by a log's state.
    ///
    /// - Parameter own: The replicas of this laptop, or nil if it is in no group.
    /// - Throws: `CommandFailure` if the range ends before it begins.
    package init(
        _ request: LogRequest, _ state: ReplayState, _ journal: Journal, own: Set<ReplicaID>? = nil,
        at now: SharedInstant, by zone: Zone = .current
    ) throws(CommandFailure) {
        try self.init(
            request, state, History(journal, state, at: now), own: own, at: now, by: zone)
    }

    /// The history that was made from a log's state.
    ///
    /// - Parameter own: The replicas of this laptop, or nil if it is in no group.
    /// - Throws: `CommandFailure` if the range ends before it begins.
    package init(
        _ request: LogRequest, _ state: ReplayState, _ history: History, own: Set<ReplicaID>? = nil,
        at now: SharedInstant, by zone: Zone = .current
    ) throws(CommandFailure) {
        let calendar = zone.calendar
        records = request.filter.labelled(history.records)
        let range = try request.filter.days(of: records, calendar, at: now)
        days = HistoryByDay(records, calendar, in: range).days
        goals = Goals(state.settings)
        self.history = history
        self.state = state
        self.own = own
        self.now = now
    }

    /// Returns the name of the laptop on which the record's session was started, or the record was added. Nil
    /// if that is this laptop, or this laptop is in no group.
    package func otherLaptop(of record: PhaseRecord) -> String? {
        guard let own, !own.contains(record.run.starter) else { return nil }
        return state.name(of: record.run.starter)
    }

    /// The length, in bytes, at which text is flushed.
    private static let flushLength = 64 << 10

    /// Writes the text that `focus log --json` prints, with its line break. Hands one piece after another to
    /// `body`, so that a long history isn't in memory twice.
    ///
    /// - Parameter namesOthers: Whether each entry also has `otherLaptop`, for the page.
    package func write<Failure>(
        namesOthers: Bool = false, _ body: (String) throws(Failure) -> Void
    ) throws(Failure) {
        var text = "{\"now\":\(JSON.instant(now)),\"days\":["
        for (index, day) in days.enumerated() {
            if index > 0 { text += "," }
            text += "\(summary(day))"
            try flush(&text, body)
        }
        text += "],\"history\":["
        let records = days.flatMap { day in day.records.map { (day: day.day, record: $0) } }
            .sorted { PhaseRecord.areInOrder($0.record, $1.record) }
        let shared = history.sharedHandles(of: records.lazy.map { $0.record })
        // The day before is kept, so that the text of a day is made only once.
        var last: (day: Day, text: String)?
        for (index, (day, record)) in records.enumerated() {
            if index > 0 { text += "," }
            let dayText = if let last, last.day == day { last.text } else { "\(day)" }
            last = (day, dayText)
            let handle = RecordHandle(record.name)
            let name = shared.contains(handle) ? record.name.text : handle.text
            text += "\(entry(record, named: name, on: dayText, namesOthers: namesOthers))"
            try flush(&text, body)
        }
        try body(text + "]}\n")
    }

    /// Passes the text on and empties it, if it is long enough.
    private func flush<Failure>(
        _ text: inout String, _ body: (String) throws(Failure) -> Void
    ) throws(Failure) {
        guard text.utf8.count >= HistoryDocument.flushLength else { return }
        try body(text)
        text = ""
    }

    private func summary(_ day: HistoryByDay.Entry) -> JSON {
        .object([
            JSON.Member("date", .string("\(day.day)")),
            JSON.Member("focusMs", .milliseconds(day.total.focus)),
            JSON.Member("completed", .integer(day.total.completed)),
        ])
    }

    private func entry(
        _ record: PhaseRecord, named name: String, on day: String, namesOthers: Bool
    ) -> JSON {
        let device = state.devices[record.run.starter].flatMap { $0.name.isEmpty ? nil : $0.name }
        let other =
            namesOthers ? [JSON.Member("otherLaptop", .optional(otherLaptop(of: record)))] : []
        return .object(
            [
                JSON.Member("entry", .string(name)),
                JSON.Member("day", .string(day)),
                JSON.Member("device", .optional(device)),
            ] + other + StateDocument.members(of: record))
    }
}

/// A history by days of a time zone.
package struct HistoryByDay: Sendable {
    /// One day of a history.
    package struct Entry: Sendable {
        /// The day.
        package let day: Day
        /// The records of phases that began on this day, in that order.
        package let records: [PhaseRecord]
        /// The work of this day, including phases that began on another day.
        package let total: FocusTotal
    }

    /// The days with entries, the first one first.
    package let days: [Entry]

    /// The days of some records.
    ///
    /// Cost: linear in the records, apart from sorting them.
    ///
    /// - Parameters:
    ///   - records: The records of a history, by their end.
    ///   - range: The days to include, or nil for all.
    package init(_ records: [PhaseRecord], _ calendar: LocalCalendar, in range: ClosedRange<Day>? = nil) {
        var cursor = DayCursor(calendar)
        var recordsOf: [Day: [PhaseRecord]] = [:]
        for record in records {
            let day = cursor.day(of: record.startedAt)
            if range?.contains(day) ?? true { recordsOf[day, default: []].append(record) }
        }
        // The whole history may be long, and the range short.
        let near = range.map { DayTotals(records, calendar).records(around: $0) } ?? records
        let totals = Statistics(near, calendar, in: range).days
        let totalOf = Dictionary(uniqueKeysWithValues: totals.map { ($0.day, $0.total) })
        days = Set(recordsOf.keys).union(totalOf.keys).sorted().map { day in
            Entry(
                day: day, records: (recordsOf[day] ?? []).sorted(by: PhaseRecord.beganInOrder),
                total: totalOf[day] ?? FocusTotal())
        }
    }
}

extension Device {
    /// Returns the history up to now.
    package func history() throws(CommandFailure) -> History {
        try using { device throws(StoreError) in
            let (state, journal) = try device.store.history()
            return History(journal, state, at: try device.now())
        }
    }
}

extension History {
    /// The reason why a text names no entry.
    package enum NoEntry: Error, Hashable, Sendable {
        /// No entry's handle begins with it.
        case none(String)
        /// Several handles begin with it: their number, and the lines of the first few.
        case several(String, count: Int, [RecordLine])

        /// The problem, and what to type instead.
        package var sentence: String {
            switch self {
            case .none(let text):
                "The history has no entry '\(text)'. 'focus log' shows what its entries are called."
            case .several(let text, let count, let lines):
                "\(count) entries begin with '\(text)': type more of it.\(lines.map { "\n  \($0.textWithDay)" }.joined())"
            }
        }
    }

    /// Returns the record with a handle that begins with `text`.
    ///
    /// - Throws: `NoEntry` if there is none, or several.
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
