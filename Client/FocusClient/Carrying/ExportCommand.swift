import CommandLineKit
import FocusCore
import FocusDevice
package import FocusFormats
package import FocusFront
import FocusStore
import FocusText

/// The request of an `export` command.
package struct ExportRequest: Hashable, Sendable {
    /// The format of the file: the log's own, or another program's.
    package var format: FileFormat
    /// The filter of the history. The log's own format ignores it.
    package var filter: HistoryFilter
    /// The owner's email address in each row, for Toggl Track; nil leaves that column empty.
    package var email: String?
    /// Whether labels in a table are escaped so that a spreadsheet reads none of them as a formula.
    package var isDisarmed: Bool

    /// Makes a request: by default for the whole history, without an address, and with labels as they are.
    package init(
        _ format: FileFormat, _ filter: HistoryFilter = HistoryFilter(), email: String? = nil,
        isDisarmed: Bool = false
    ) {
        self.format = format
        self.filter = filter
        self.email = email
        self.isDisarmed = isDisarmed
    }
}

/// `focus export`: writes the log, or its history, to standard output.
struct ExportCommand {
    let request: ExportRequest

    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        switch request.format {
        case .log: try writeLog(device, in: context)
        case .history(let format): try writeHistory(format, device, in: context)
        }
    }

    /// Prints one event per line, in replay order.
    private func writeLog(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        guard let device else { return }
        var output = BufferedOutput(context)
        var sealed = 0
        do {
            try device.store.forEachStoredEvent { stored in
                if let event = stored.event {
                    try output.write("\(EventLine(event, epoch: stored.epoch))\n")
                } else {
                    sealed += 1
                }
            }
        } catch let error as CommandFailure {
            throw error
        } catch let error as StoreError {
            throw CommandFailure(error, device.home.database)
        } catch {
            throw CommandFailure("\(error).")
        }
        try output.flush()
        guard sealed > 0 else { return }
        context.console.report(
            "Left out \(counted(sealed, "change")) that can't be read yet: this laptop doesn't have their key."
        )
    }

    /// Prints the chosen entries of the history, in the order of their ends.
    private func writeHistory(
        _ format: HistoryFormat, _ device: Device?, in context: CommandContext
    ) throws(CommandFailure) {
        let zone = LocalZone.current
        let found = try device?.using {
            device throws(StoreError) -> ([PhaseRecord], SplitWholes, SharedInstant) in
            let (state, journal) = try device.store.history()
            let now = try device.now()
            return (History(journal, state, at: now).records, SplitWholes(journal, state, at: now), now)
        }
        let (history, wholes, now) = found ?? ([], SplitWholes(), context.clocks.wall())
        let records = try request.filter.filtered(history, .current, at: now)
        // A record that was split off gets the sources that it had in the whole record, so that a log with
        // the whole doesn't import it again.
        let entries = records.lazy.flatMap { format.entries(of: $0, splitOff: wholes.whole(of: $0.name)) }
        // Timewarrior's ids count down to 1, so its writer needs the number of entries before the first one.
        let count = format == .timewarrior ? entries.count { format.roundTripped($0, zone: zone) != nil } : 0
        let writing = WritingContext(zone: zone, email: request.email, isDisarmed: request.isDisarmed)
        var writer = HistoryWriter(format, writing, count: count)
        var output = BufferedOutput(context)
        try writer.write(entries) { text throws(CommandFailure) in try output.write(text) }
        try output.flush()
        if records.isEmpty, request.filter != HistoryFilter() {
            context.console.report("Nothing in the history matches.")
        }
        if let first = writer.firstLeftOut {
            let subject = writer.leftOut == 1 ? "It" : "The first"
            context.console.report(
                "Left out \(counted(writer.leftOut, "span")) that \(format.rawValue) can't hold: \(format.lostParts). \(subject) began on \(zone.time(at: first.interval.from).name)."
            )
        }
        if writer.formulas > 0 {
            let labels = counted(writer.formulas, "label")
            context.console.report(
                request.isDisarmed
                    ? "\(labels) \(writer.formulas == 1 ? "has" : "have") an apostrophe before it. When you import the file, it is removed."
                    : "\(labels) would be a formula in a spreadsheet: --no-formulas puts an apostrophe before it."
            )
        }
        if format == .toggl, request.email == nil {
            context.console.report(
                "Toggl's import needs your email address in each row: give --email ADDRESS.")
        }
    }
}

extension HistoryFormat {
    /// The parts of the history that the format can't represent.
    fileprivate var lostParts: String {
        switch self {
        case .csv: "nothing"
        case .ics: "anything under a second"
        case .timewarrior, .toggl: "breaks, and anything under a second"
        case .openPomodoro: "breaks, and anything under half a minute"
        }
    }
}

/// A buffer for standard output that writes in large chunks.
private struct BufferedOutput {
    /// The minimum size of a chunk, in bytes.
    private static let chunk = 1 << 16

    private let context: CommandContext
    /// The text that isn't written yet.
    private var text = ""

    init(_ context: CommandContext) { self.context = context }

    mutating func write(_ more: String) throws(CommandFailure) {
        text += more
        if text.utf8.count >= BufferedOutput.chunk { try flush() }
    }

    mutating func flush() throws(CommandFailure) {
        try context.printFile(text)
        text = ""
    }
}
