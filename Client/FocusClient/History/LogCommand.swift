import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusText
import FocusWords

/// `focus log`: the history, by day.
struct LogCommand {
    let request: LogRequest

    /// Prints it, the newest last.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        let history =
            if let device { try HistoryDocument(request, device) } else {
                try HistoryDocument(request, ReplayState(), Journal(), at: context.clocks.wall())
            }
        if request.json {
            try context.print("\(history.json)\n")
        } else if history.days.isEmpty {
            context.console.say(
                history.isEmpty ? "The history is empty." : "Nothing in the history matches.")
        } else {
            try context.print(
                history.days.map { text($0, history.goal, history.handles) }.joined(separator: "\n"))
        }
    }

    private func text(_ day: HistoryByDay.Entry, _ goal: Int64, _ handles: RecordHandles) -> String {
        let title =
            "\(day.day.name): \(lengthText(day.total.focus)) of focus time, "
            + "\(completedText(day.total.completed, goal: goal))\n"
        return title + day.records.map { "  \(RecordLine($0, handles.shown($0.name)).text)\n" }.joined()
    }
}
