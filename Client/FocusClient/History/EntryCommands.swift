import CommandLineKit
import FocusCore
import FocusStore
import FocusText

/// `focus log add`: adds to the history what was done without the timer.
struct AddEntryCommand: WritingCommand {
    let request: PastRequest

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let now = try device.using { device throws(StoreError) in try device.now() }
        let phase = try phase(now, .here)
        try device.checkNew(phase)
        let performed = try device.perform(entry: .add(phase))
        guard let event = performed.events.last else { return }
        try device.show(RecordName(run: RunID(event.position), ordinal: 0), in: context)
    }

    private func phase(_ now: Int64, _ zone: LocalZone) throws(CommandFailure) -> PastPhase {
        let interval: Interval
        switch request.time {
        case .between(let from, let to):
            interval = Interval(from: try from.instant(now, zone), to: try to?.instant(now, zone) ?? now)
        case .from(let from, let length):
            let start = try from.instant(now, zone)
            interval = Interval(from: start, to: start + length.components.seconds * 1000)
        case .upTo(let to, let length):
            let end = try to?.instant(now, zone) ?? now
            interval = Interval(from: end - length.components.seconds * 1000, to: end)
        }
        do throws(PastPhase.Problem) {
            return try PastPhase(request.activity, interval, label: request.label)
        } catch {
            throw CommandFailure(error.sentence(interval, zone), .usage)
        }
    }
}

/// `focus log label`: gives an entry of the history another label.
struct RelabelEntryCommand: WritingCommand {
    let entry: String
    let text: String

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let record = try device.entries().record(named: entry)
        _ = try device.perform(entry: .relabel(record.name, text))
        try device.show(record.name, in: context)
    }
}

/// `focus log remove`: takes an entry out of the history.
struct RemoveEntryCommand: WritingCommand {
    let entry: String

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let history = try device.entries()
        let record = try history.record(named: entry)
        _ = try device.perform(entry: .remove(record.name))
        let line = RecordLine(record, RecordHandles(history).shown(record.name)).textWithDay
        context.console.say("Took out of the history: \(line)\n'focus undo' brings it back.")
    }
}

extension PastPhase.Problem {
    /// What is wrong with an interval that somebody gave.
    func sentence(_ interval: Interval, _ zone: LocalZone) -> String {
        switch self {
        case .noLength:
            "It would end at \(zone.text(interval.to)), which is not after it begins at "
                + "\(zone.text(interval.from))."
        case .tooLong:
            "From \(zone.text(interval.from)) to \(zone.text(interval.to)) is longer than 24 hours, the most that "
                + "an entry can take."
        case .tooEarly: "An entry can't begin before 1970."
        }
    }
}

extension Device {
    /// The history now.
    func entries() throws(CommandFailure) -> History {
        try using { device throws(StoreError) in
            let (state, journal) = try device.store.history()
            return History(journal, state, at: try device.now())
        }
    }

    /// Throws where the history has this already, by its times and activity.
    func checkNew(_ phase: PastPhase) throws(CommandFailure) {
        let history = try entries()
        let same = history.records.first {
            $0.activity == phase.activity && $0.startedAt == phase.interval.from
                && $0.endedAt == phase.interval.to
        }
        guard let same else { return }
        throw CommandFailure(
            "The history has that already: \(RecordLine(same, RecordHandles(history).shown(same.name)).textWithDay)",
            .notNow)
    }

    fileprivate func perform(entry interaction: Interaction) throws(CommandFailure) -> Performed {
        do throws(PerformFailure) {
            return try perform(interaction)
        } catch {
            throw CommandFailure(error, home)
        }
    }

    /// Prints the record of this name.
    fileprivate func show(_ name: RecordName, in context: CommandContext) throws(CommandFailure) {
        let history = try entries()
        guard let record = history.records.first(where: { $0.name == name }) else { return }
        try context.print("\(RecordLine(record, RecordHandles(history).shown(name)).textWithDay)\n")
    }
}

extension History {
    /// The record whose handle begins so.
    ///
    /// - Throws: where there is none, or several.
    func record(named text: String) throws(CommandFailure) -> PhaseRecord {
        let handles = RecordHandles(self)
        let found = handles.records(beginning: text)
        guard let first = found.first else {
            throw CommandFailure(
                "The history has no entry '\(text)'. 'focus log' shows what its entries are called.", .usage)
        }
        guard found.count == 1 else {
            let lines = found.prefix(5).map { "\n  \(RecordLine($0, handles.shown($0.name)).textWithDay)" }
            throw CommandFailure(
                "\(found.count) entries begin with '\(text)': say more of it.\(lines.joined())", .usage)
        }
        return first
    }
}
