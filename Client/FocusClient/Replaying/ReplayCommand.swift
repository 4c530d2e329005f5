import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusText
import SystemKit

/// `focus replay`: shows the state and history of logs in files. It needs no device, and writes nothing.
struct ReplayCommand {
    let request: ReplayRequest

    /// Merges the files, replays them, and prints the state.
    func run(in context: CommandContext) throws(CommandFailure) {
        let now = request.at ?? context.clocks.wall()
        let (state, journal) = try log(context, at: now).replayed()
        if request.json {
            try context.print("\(StateDocument.replay(state, journal, at: now))\n")
        } else {
            let line = StatusView(state, at: now, by: .current).line(context.console.paint)
            try context.print("\(line)\n\(summary(state, History(journal, state, at: now)))\n")
        }
    }

    private func log(_ context: CommandContext, at now: SharedInstant) throws(CommandFailure) -> EventLog {
        let limit = Stamp.latest(countingAt: now)
        // Early events don't count. They are merged into `whole` only to find conflicts with them.
        var whole = EventLog()
        var log = EventLog()
        for path in request.files {
            let events = try LogFile(path, in: context).events
            do throws(EventLog.Refusal) {
                let events = events.lazy.map(\.event).filter { $0.time <= request.until ?? .distantFuture }
                try whole.merge(events)
                try log.merge(events.filter { $0.stamp <= limit })
            } catch {
                throw CommandFailure("\(path) can't be merged with the others: \(error.explanation).")
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

/// A file with a log as text.
struct LogFile {
    let events: [EventLine]

    /// Reads the file, or standard input for `-`. An error names the file and the line.
    init(_ path: String, in context: CommandContext) throws(CommandFailure) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try context.contents(path)
        } catch {
            throw CommandFailure(error)
        }
        try self.init(path, bytes)
    }

    /// Parses the bytes of the file at `path`.
    ///
    /// - Parameter outcome: A sentence to add to the error if the bytes are no log.
    init(_ path: String, _ bytes: [UInt8], otherwise outcome: String? = nil) throws(CommandFailure) {
        do throws(LogText.BadLine) {
            events = try LogText.parse(bytes)
        } catch {
            throw CommandFailure("\(LogFile.name(path)), \(error)." + (outcome.map { " \($0)" } ?? ""))
        }
    }

    /// Returns the name of the file at `path` in messages.
    static func name(_ path: String) -> String { path == "-" ? "standard input" : path }
}

extension EventLog.Refusal {
    /// The error, to be read after a colon.
    var explanation: String {
        switch self {
        case .conflict(let id): "two different events are \(id.name)"
        case .stampNotRising(let id): "the stamp of \(id.name) is not above that of the event before it"
        case .stampTooLarge(let id): "the stamp of \(id.name) is greater than the greatest possible one"
        case .seqZero(let id): "\(id.name) has the number 0, and numbers begin at 1"
        }
    }
}

extension EventID {
    /// The event's name in messages: `9f2c6a1b00d4e7aa/12`.
    var name: String { "\(replica.text)/\(seq)" }
}
