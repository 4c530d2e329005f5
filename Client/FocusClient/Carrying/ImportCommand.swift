import CommandLineKit
import FocusCore
import FocusDevice
import FocusFormats
import FocusFront
import FocusLink
import FocusSeal
import FocusStore
import FocusText

/// `focus import`: imports a log that `export` wrote, or another program's history.
///
/// A log that has a replica or an epoch in common with this laptop's log is merged. Any log is merged if this
/// laptop is in no group and has recorded nothing. From any other log only the history is imported.
struct ImportCommand: WritingCommand {
    let request: ImportRequest

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let zone = LocalZone.current
        switch try ImportedFile(request, zone, in: context) {
        case .nothing, .log([]):
            // An empty log is exported as an empty file, so an empty file is no error.
            context.console.report("\(name) is an empty log, so nothing was imported.")
        case .history(_, []):
            context.console.report("\(name) has no entries, so nothing was imported.")
        case .log(let lines):
            let log: EventLog
            do throws(EventLog.Refusal) {
                log = try EventLog(lines.lazy.map(\.event))
            } catch {
                throw refusal("it isn't a log, \(error.explanation)")
            }
            let outcome = try author(on: device) { (authoring, now) throws(LogImport.Refusal) in
                try LogImport(device: device, lines: lines, log: log, now: now).run(&authoring)
            }
            context.console.report(outcome.sentence)
        case .history(let format, let found):
            let outcome = try author(on: device) { (authoring, now) throws(LogImport.Refusal) in
                try LogImport.Refusal.converting { () throws(StoreError) in
                    try HistoryImport(device: device, format: format, items: found, now: now, zone: zone)
                        .run(&authoring)
                }
            }
            context.console.report(outcome.sentence(name))
            let isNothingRead = outcome.unreadable.count == found.count
            if isNothingRead { throw refusal("nothing in it can be read as \(format.rawValue)") }
        }
    }

    /// Runs `body` in one transaction, at the present instant.
    private func author<Outcome>(
        on device: Device,
        _ body: (inout AuthoringTransaction, SharedInstant) throws(LogImport.Refusal) -> Outcome
    ) throws(CommandFailure) -> Outcome {
        do throws(LogImport.Refusal) {
            let now = try LogImport.Refusal.converting { () throws(StoreError) in try device.now() }
            return try device.store.author(now: now) { (authoring) throws(LogImport.Refusal) in
                try body(&authoring, now)
            }.result
        } catch {
            if case .local(.store(let error)) = error { throw CommandFailure(error, device.home.database) }
            throw refusal(error.explanation)
        }
    }

    private var name: String { LogFile.name(request.path) }

    private func refusal(_ reason: String) -> CommandFailure {
        CommandFailure("Nothing was imported from \(name): \(reason).")
    }
}

/// Returns the number of known entries in words, to be read at the end of a sentence.
private func knownText(_ known: Int) -> String {
    known == 0 ? "" : "; \(known) \(known == 1 ? "was" : "were") here already"
}

extension LogImport.Outcome {
    /// The result of the import, for people.
    fileprivate var sentence: String {
        switch self {
        case .merged(let new, let known, let branched):
            "Merged \(counted(new, "change"))\(knownText(known)).\(branch(branched))"
        case .copiedHistory(let new, let known):
            "That is another log: \(counted(new, "record")) of its history \(new == 1 ? "was" : "were") "
                + "added\(knownText(known))."
        }
    }

    private func branch(_ count: Int) -> String {
        guard count > 0 else { return "" }
        return " This laptop's log had diverged from that one: \(counted(count, "change")) of it "
            + "\(count == 1 ? "is" : "are") on a branch now."
    }
}

extension HistoryImport.Outcome {
    /// Returns the result of importing the file named `name`, for people.
    fileprivate func sentence(_ name: String) -> String {
        let entries = added == 1 ? "1 entry" : "\(added) entries"
        let omitted = Omission.allCases.compactMap { omission in
            omissions[omission].map {
                "\($0.count) \(omission.words) (\($0.count > 1 ? "first in " : "")line \($0.line))"
            }
        }
        let leftOut = omitted.isEmpty ? "" : " Left out: \(omitted.joined(separator: ", "))."
        let replaced = replacing == 0 ? "" : ", \(replacing) of them in place of an earlier version"
        return "Added \(entries) from \(name)\(replaced)\(knownText(duplicates)).\(leftOut)\(unreadableLines)"
    }

    /// The most lines about unreadable entries that are shown.
    private static let lineLimit = 20

    /// The unreadable entries, a line for each.
    private var unreadableLines: String {
        guard !unreadable.isEmpty else { return "" }
        let shown = unreadable.prefix(Self.lineLimit).map { "\n  \($0)" }.joined()
        let more = unreadable.count - Self.lineLimit
        let last = more > 0 ? "\n  and \(more) more, up to line \(unreadable.last?.line ?? 0)" : ""
        return " Left out, because it can't be read:\(shown)\(last)"
    }
}

extension Omission {
    /// The description of the omitted entries, to be read after their number.
    fileprivate var words: String {
        switch self {
        case .noLength: "without a length"
        case .tooLong: "longer than 24 hours"
        case .before1970: "before 1970"
        case .future: "ending in the future"
        case .running: "without an end yet"
        case .allDay: "for whole days"
        case .recurring: "in a series"
        case .cancelled: "cancelled"
        case .noStart: "without a beginning"
        case .replaced: "in an earlier version"
        }
    }
}

extension LogImport.Refusal {
    fileprivate var explanation: String {
        switch self {
        case .ahead(let id):
            "\(id.name) is more than 2 minutes in the future. If this laptop's clock is behind, set it. If the "
                + "other's was ahead, run 'focus clock accept' there and export again"
        case .tooLong(let id): "\(id.name) is longer than an event may be"
        case .gap(let replica, let seq):
            "\(EventID(replica: replica, seq: seq).name) and maybe more is missing"
        case .parted(let id):
            "\(id.name) differs from the same event in this laptop's log, and only a group can keep both"
        case .unknownEpoch(let id):
            "\(id.name) was written under a key that this laptop doesn't have: in another group, or since it last "
                + "synced"
        case .malformed(let id): "the stamp of \(id.name) isn't above that of the event before it"
        case .local(.store(let error)): error.description
        case .local(.seal(let error)): error.description
        case .local(.device(let failure)): CommandFailure(failure).message
        }
    }
}
