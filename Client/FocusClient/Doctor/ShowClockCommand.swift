import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusText

/// `focus clock`: says whether the laptop's clock and the log agree.
struct ShowClockCommand {
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        guard let device else { return try context.print("\(ShowClockCommand.nothingAhead)\n") }
        let findings = DeviceCheck(device: device).clock.map(\.text)
        var lines = findings.isEmpty ? ["Sessions use this laptop's clock."] : findings
        do throws(StoreError) {
            let ahead = try device.earlyEventsTrouble(at: device.now())
            lines.append(ahead?.sentence ?? ShowClockCommand.nothingAhead)
        } catch {
            throw CommandFailure(error, device.home.database)
        }
        try context.print(context.console.prose(lines.map { "\($0)\n" }.joined()))
    }

    static let nothingAhead = "Nothing in the log is ahead of it."
}

/// `focus clock accept`: brings early events back to now, after a clock was ahead.
struct BringBackCommand: WritingCommand {
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let brought = try mapFailure { () throws(DeviceFailure) in try device.bringBack() }
        guard let (done, copy) = brought else {
            return try context.print("\(ShowClockCommand.nothingAhead)\n")
        }
        try context.print(
            context.console.prose("\(done.sentence) A copy of the log before that is in \(copy.data).\n"))
    }
}

extension EarlyEventRepair {
    /// The result, for people.
    fileprivate var sentence: String {
        var parts: [String] = []
        if !written.isEmpty {
            parts.append(
                "\(counted(written.count, "change")) from the future \(written.count == 1 ? "was" : "were") brought back to now"
            )
        }
        if takenBack > 0 {
            parts.append(
                "\(counted(takenBack, "change")) of other laptops \(takenBack == 1 ? "was" : "were") taken back"
            )
        }
        return parts.joined(separator: ", and ") + "."
    }
}
