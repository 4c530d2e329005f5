import CommandLineKit
import FocusCore
import FocusStore
import FocusText

/// `focus log`: the history, by day.
struct LogCommand {
    let json: Bool

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
        let days = HistoryByDay(history).days
        if json {
            try context.print("\(document(history, days, now))\n")
        } else if days.isEmpty {
            context.console.say("The history is empty.")
        } else {
            let goal = state.settings[.dailyGoal]
            try context.print(days.map { text($0, goal) }.joined(separator: "\n"))
        }
    }

    private func document(_ history: History, _ days: [HistoryByDay.Day], _ now: Int64) -> JSON {
        let days = days.map { day in
            JSON.object([
                JSON.Member("date", .string(day.day.iso)), JSON.Member("focusMs", .integer(day.focus)),
                JSON.Member("completed", .integer(day.completed)),
            ])
        }
        return .object([
            JSON.Member("now", .integer(now)), JSON.Member("days", .array(days)),
            JSON.Member("history", StateDocument.history(history)),
        ])
    }

    private func text(_ day: HistoryByDay.Day, _ goal: Int64) -> String {
        let title =
            "\(day.day.name): \(minutes(day.focus)) of focus time, \(day.completed) of \(goal) work phases\n"
        return title + day.records.map { "  \(line($0))\n" }.joined()
    }

    private func line(_ record: PhaseRecord) -> String {
        let columns = [
            "\(LocalTime(record.startedAt).clock)-\(LocalTime(record.endedAt).clock)",
            padded(minutes(record.activeMilliseconds), to: 7), padded(record.activity.words, to: 11),
            record.label.isEmpty ? record.outcome.rawValue : padded(record.outcome.rawValue, to: 9),
        ]
        return (columns + (record.label.isEmpty ? [] : [record.label])).joined(separator: "  ")
    }

    /// A length of time in whole minutes, or in seconds where it is under one.
    private func minutes(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        return DurationText.text(.seconds(seconds < 60 ? seconds : seconds / 60 * 60))
    }
}

extension Activity {
    /// What the activity is called in a list.
    fileprivate var words: String {
        switch self {
        case .work: "work"
        case .shortBreak: "short break"
        case .longBreak: "long break"
        }
    }
}
