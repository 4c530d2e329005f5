import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusText
import FocusWords

/// `focus log add`: adds to the history what was done without the timer.
struct AddEntryCommand: WritingCommand {
    let request: PastRequest

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let performed = try device.perform(entry: .add(try device.phase(of: request, .here)))
        guard let event = performed.events.last else { return }
        try device.show(RecordName(run: RunID(event.position), ordinal: 0), in: context)
        let note = try device.using { device throws(StoreError) in try performed.sentence(device) }
        if let note { context.console.say(note) }
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

/// `focus log move`, `resize` and `split`: says when an entry of the history was.
struct ChangeEntryCommand: WritingCommand {
    let entry: String
    let change: EntryChange

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let record = try device.entries().record(named: entry)
        let performed = try device.perform(entry: try change.interaction(on: record, .here))
        try device.show(record.name, in: context)
        if case .split = change, let event = performed.events.last {
            try device.show(RecordName(run: RunID(event.position), ordinal: 0), in: context)
        }
        let note = try device.using { device throws(StoreError) in try performed.sentence(device) }
        if let note { context.console.say(note) }
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
        context.console.say("Removed from the history: \(line)\n'focus undo' brings it back.")
    }
}

extension Device {
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
