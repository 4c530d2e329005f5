import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusScreen
import FocusStore
import FocusText

/// `focus log`: prints the history, by day.
struct LogCommand {
    let request: LogRequest

    /// Prints the history, newest last.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        let history =
            if let device { try HistoryDocument(request, device) } else {
                try HistoryDocument(request, ReplayState(), Journal(), at: context.clocks.wall())
            }
        if request.json {
            try history.write { text throws(CommandFailure) in try context.print(text) }
        } else if history.days.isEmpty {
            context.console.report(
                history.isEmpty ? "The history is empty." : "Nothing in the history matches.")
        } else {
            // This is read once, because each access checks whether the system's time zone has changed.
            let clocks = LocalZone.current
            let uncounted = context.console.isTerminal ? history.uncounted : []
            let handles = history.handles
            try context.print(
                history.days.map { text($0, history, handles, uncounted, clocks, context.console) }
                    .joined(separator: "\n"))
            if context.console.isTerminal, request.filter.choice == .all, history.hasPhaseInProgress {
                context.console.report("The phase in progress isn't among these yet.")
            }
        }
    }

    private func text(
        _ day: HistoryByDay.Entry, _ history: HistoryDocument, _ handles: RecordHandles,
        _ uncounted: Set<RecordName>, _ clocks: LocalZone, _ console: Console
    ) -> String {
        // The goal is for all work, so a part of it is shown without.
        let goal = request.filter.choice == .all ? history.goals.goal(of: day.day) : .nothing
        let title = "\(day.day.name): \(GoalText.full(day.total, goal))\n"
        let lines = day.records.map { record in
            let line = RecordLine(record, handles.shown(record.name)).text(by: clocks)
            // Programs that read the output expect lines that end with the label.
            let laptop = console.isTerminal ? history.otherLaptop(of: record) : nil
            let remarks = [
                uncounted.contains(record.name) ? "  not counted" : nil, laptop.map { "  on \($0)" },
            ].compactMap(\.self)
            return "  \(line)\(remarks.map { console.paint.dimmed($0) }.joined())\n"
        }
        return title + lines.joined()
    }
}

/// `focus log add`: adds work done without the timer to the history.
struct AddEntryCommand: WritingCommand {
    let request: AddEntryRequest

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let performed = try device.perform(entry: .add(try device.phase(of: request, .current)))
        guard let event = performed.events.last else { return }
        try device.show(RecordName(run: RunID(event.position), ordinal: 0), in: context)
        let note = try device.using { device throws(StoreError) in
            try performed.sentence(device, namesHandle: true)
        }
        if let note { context.console.report(note) }
    }
}

/// `focus log label`: gives an entry of the history another label.
struct RelabelEntryCommand: WritingCommand {
    let entry: String
    let text: String

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let record = try device.history().entry(entry)
        _ = try device.perform(entry: .relabel(record.name, text))
        try device.show(record.name, in: context)
    }
}

/// `focus log move`, `resize` and `split`: corrects the times of an entry of the history.
struct ChangeEntryCommand: WritingCommand {
    let entry: String
    let change: EntryChange

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let record = try device.history().entry(entry)
        let performed = try device.perform(entry: try change.interaction(on: record, .current))
        try device.show(record.name, in: context)
        if case .split = change, let event = performed.events.last {
            try device.show(RecordName(run: RunID(event.position), ordinal: 0), in: context)
        }
        let note = try device.using { device throws(StoreError) in
            try performed.sentence(device, namesHandle: true)
        }
        if let note { context.console.report(note) }
    }
}

/// `focus log remove`: removes an entry from the history.
struct RemoveEntryCommand: WritingCommand {
    let entry: String

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let history = try device.history()
        let record = try history.entry(entry)
        _ = try device.perform(entry: .remove(record.name))
        let line = RecordLine(record, RecordHandles(history).shown(record.name)).textWithDay
        context.console.report("Removed from the history: \(line)\n'focus undo' brings it back.")
    }
}

extension History {
    /// Returns the record that a command names.
    fileprivate func entry(_ text: String) throws(CommandFailure) -> PhaseRecord {
        do throws(NoEntry) { return try record(named: text) } catch { throw CommandFailure(error.sentence) }
    }
}

extension Device {
    fileprivate func perform(entry interaction: Interaction) throws(CommandFailure) -> InteractionResult {
        do throws(PerformFailure) {
            return try perform(interaction)
        } catch {
            throw CommandFailure(error, home)
        }
    }

    /// Prints the record with this name.
    fileprivate func show(_ name: RecordName, in context: CommandContext) throws(CommandFailure) {
        let history = try self.history()
        guard let record = history.records.first(where: { $0.name == name }) else { return }
        try context.print("\(RecordLine(record, RecordHandles(history).shown(name)).textWithDay)\n")
    }
}
