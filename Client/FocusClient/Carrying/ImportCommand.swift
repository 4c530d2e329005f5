import CommandLineKit
import FocusCore
import FocusStore
import FocusText

/// `focus import`: takes in a log that `export` wrote. A log of the same group is merged, and so is any where
/// this laptop has none yet; another log comes in as the history it makes.
struct ImportCommand: WritingCommand {
    let path: String

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let lines = try LogFile(path, in: context).events
        guard !lines.isEmpty else {
            // An empty log is exported as an empty file, so it is no mistake in itself.
            return context.console.say("\(name) holds no events, so nothing was taken.")
        }
        let log: EventLog
        do throws(EventLog.Refusal) {
            log = try EventLog(lines.lazy.map(\.event))
        } catch {
            throw refusal("it is no log, \(error.explanation)")
        }
        do {
            let now = try device.now()
            let outcome = try device.store.author(now: now) { authoring in
                try LogImport(device: device, lines: lines, log: log, now: now).run(&authoring)
            }.result
            context.console.say(outcome.sentence)
        } catch let error as LogImport.Refusal {
            throw refusal(error.explanation)
        } catch let error as StoreError {
            throw CommandFailure(error, device.home.database)
        } catch {
            throw refusal("\(error)")
        }
    }

    private var name: String { LogFile.name(path) }

    private func refusal(_ reason: String) -> CommandFailure {
        CommandFailure("Nothing was taken from \(name): \(reason).")
    }
}

extension LogImport.Outcome {
    /// What was done, for people.
    fileprivate var sentence: String {
        switch self {
        case .merged(let new, let known, let branched):
            "Merged \(counted(new, "event"))\(rest(known)).\(branch(branched))"
        case .carried(let new, let known):
            "That is another log: \(counted(new, "record")) of its history \(new == 1 ? "was" : "were") "
                + "added\(rest(known))."
        }
    }

    private func branch(_ count: Int) -> String {
        guard count > 0 else { return "" }
        return " This laptop's log had parted from that one: \(counted(count, "event")) of it "
            + "\(count == 1 ? "stands" : "stand") on a branch now."
    }

    private func rest(_ known: Int) -> String {
        known == 0 ? "" : "; \(known) \(known == 1 ? "was" : "were") here already"
    }
}

extension LogImport.Refusal {
    fileprivate var explanation: String {
        switch self {
        case .ahead(let id):
            "\(id.name) lies more than 2 minutes ahead of now. Where this laptop's clock is behind, set it"
        case .tooLong(let id): "\(id.name) is longer than an event may be"
        case .gap(let replica, let seq):
            "\(EventID(replica: replica, seq: seq).name) and maybe more is missing"
        case .parted(let id):
            "\(id.name) says something else in this laptop's log, and only in a group both can be kept"
        case .unknownEpoch(let id):
            "\(id.name) was written under a key that this laptop hasn't got: in another group, or since it last "
                + "synced"
        case .malformed(let id): "the stamp of \(id.name) isn't above that of the event before it"
        }
    }
}
