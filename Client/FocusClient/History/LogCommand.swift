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
        let days = HistoryByDay(history, .here).days
        if json {
            try context.print("\(document(history, days, now))\n")
        } else if days.isEmpty {
            context.console.say("The history is empty.")
        } else {
            let goal = state.settings[.dailyGoal]
            try context.print(days.map { text($0, goal) }.joined(separator: "\n"))
        }
    }

    private func document(_ history: History, _ days: [HistoryByDay.Entry], _ now: Int64) -> JSON {
        let days = days.map { day in
            JSON.object([
                JSON.Member("date", .string("\(day.day)")), JSON.Member("focusMs", .integer(day.total.focus)),
                JSON.Member("completed", .integer(day.total.completed)),
            ])
        }
        return .object([
            JSON.Member("now", .integer(now)), JSON.Member("days", .array(days)),
            JSON.Member("history", StateDocument.history(history)),
        ])
    }

    private func text(_ day: HistoryByDay.Entry, _ goal: Int64) -> String {
        let title =
            "\(day.day.name): \(lengthText(day.total.focus)) of focus time, "
            + "\(completedText(day.total.completed, goal: goal))\n"
        return title + day.records.map { "  \(line($0))\n" }.joined()
    }

    private func line(_ record: PhaseRecord) -> String {
        let columns = [
            "\(LocalTime(record.startedAt).clock)-\(LocalTime(record.endedAt).clock)",
            padded(lengthText(record.activeMilliseconds), to: 7), padded(record.activity.words, to: 11),
            record.label.isEmpty ? record.outcome.rawValue : padded(record.outcome.rawValue, to: 9),
        ]
        return (columns + (record.label.isEmpty ? [] : [record.label])).joined(separator: "  ")
    }
}

extension Activity {
    /// What the activity is called in a list.
    var words: String {
        switch self {
        case .work: "work"
        case .shortBreak: "short break"
        case .longBreak: "long break"
        }
    }
}
