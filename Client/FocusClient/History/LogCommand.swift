import CommandLineKit
import FocusCore
import FocusDevice
import FocusStore
import FocusText
import FocusWords

/// `focus log`: the history, by day.
struct LogCommand {
    let request: LogRequest
    /// Whose days the history is told by.
    var zone = Zone.here

    /// Prints it, the newest last.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        var state = ReplayState()
        var journal = Journal()
        var now = context.clocks.wall()
        if let device {
            (state, journal) = try device.using { device throws(StoreError) in try device.store.history() }
            now = try device.using { device throws(StoreError) in try device.now() }
        }
        let history = History(journal, state, at: now)
        let days = try days(of: history, at: now)
        if request.json {
            try context.print("\(document(days, now))\n")
        } else if days.isEmpty {
            let isEmpty = history.records.isEmpty
            context.console.say(isEmpty ? "The history is empty." : "Nothing in the history matches.")
        } else {
            let goal = state.settings[.dailyGoal]
            let handles = RecordHandles(history)
            try context.print(days.map { text($0, goal, handles) }.joined(separator: "\n"))
        }
    }

    private func days(
        of history: History, at now: Int64
    ) throws(CommandFailure) -> [HistoryByDay.Entry] {
        let calendar = zone.calendar
        let records = history.records.filter { request.choice.includes($0.label) }
        var range: ClosedRange<Day>?
        if let asked = request.range {
            let first = records.map(\.startedAt).min().map { calendar.day(of: $0) }
            range = try asked.days(today: calendar.day(of: now), first: first)
        }
        return HistoryByDay(records, calendar, in: range).days
    }

    private func document(_ days: [HistoryByDay.Entry], _ now: Int64) -> JSON {
        let summaries = days.map { day in
            JSON.object([
                JSON.Member("date", .string("\(day.day)")), JSON.Member("focusMs", .integer(day.total.focus)),
                JSON.Member("completed", .integer(day.total.completed)),
            ])
        }
        let records = days.flatMap { day in day.records.map { (day: day.day, record: $0) } }
            .sorted { PhaseRecord.areInOrder($0.record, $1.record) }
            .map { day, record in
                let entry = JSON.Member("entry", .string(RecordHandle(record.name).text))
                return JSON.object(
                    [entry, JSON.Member("day", .string("\(day)"))] + StateDocument.members(of: record))
            }
        return .object([
            JSON.Member("now", .integer(now)), JSON.Member("days", .array(summaries)),
            JSON.Member("history", .array(records)),
        ])
    }

    private func text(_ day: HistoryByDay.Entry, _ goal: Int64, _ handles: RecordHandles) -> String {
        let title =
            "\(day.day.name): \(lengthText(day.total.focus)) of focus time, "
            + "\(completedText(day.total.completed, goal: goal))\n"
        return title + day.records.map { "  \(RecordLine($0, handles.shown($0.name)).text)\n" }.joined()
    }
}
