import CommandLineKit
import FocusCore
import FocusDevice
import FocusText
import FocusWords

/// `focus replay`: what logs in files mean. Needs no device, and writes nothing.
struct ReplayCommand {
    let request: ReplayRequest

    /// Merges the files, replays them, and prints the state.
    func run(in context: CommandContext) throws(CommandFailure) {
        let (state, journal) = try log(context).replayed()
        let now = request.at ?? context.clocks.wall()
        if request.json {
            try context.print("\(StateDocument.replay(state, journal, at: now))\n")
        } else {
            let line = StatusView(state, at: now).line(context.console.paint)
            try context.print("\(line)\n\(summary(state, History(journal, state, at: now)))\n")
        }
    }

    private func log(_ context: CommandContext) throws(CommandFailure) -> EventLog {
        var log = EventLog()
        for path in request.files {
            let events = try LogFile(path, in: context).events
            do throws(EventLog.Refusal) {
                try log.merge(events.lazy.map(\.event).filter { $0.time <= request.until ?? .distantFuture })
            } catch {
                throw CommandFailure("\(path) doesn't go into one log with the others: \(error.explanation).")
            }
        }
        return log
    }

    private func summary(_ state: ReplayState, _ history: History) -> String {
        let unknown = state.unknownCount == 0 ? "" : " (\(state.unknownCount) that this version doesn't know)"
        let sideRuns = state.sideRuns.isEmpty ? "" : ", \(counted(state.sideRuns.count, "side run"))"
        return counted(state.eventCount, "event") + unknown + sideRuns + ", "
            + counted(history.records.count, "record") + " in the history"
    }
}
