import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusText
import FocusWords

/// `focus devices`: who shares the session.
struct DevicesCommand {
    let json: Bool

    /// Prints the devices, this one first.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        guard let device else { return try show([.this(context.machine.hostName())], at: .zero, in: context) }
        let (entries, now) = try device.using { device throws(StoreError) in
            (try DeviceList(device).entries, try device.now())
        }
        try show(entries, at: now, in: context)
    }

    private func show(
        _ entries: [DeviceList.Entry], at now: SharedInstant, in context: CommandContext
    ) throws(CommandFailure) {
        if json {
            return try context.print("\(DeviceList.document(entries))\n")
        }
        let width = entries.map(\.title.count).max() ?? 0
        try context.print(entries.map { "\(line($0, width, now))\n" }.joined())
    }

    private func line(_ entry: DeviceList.Entry, _ width: Int, _ now: SharedInstant) -> String {
        "\(padded(entry.title, to: width))  \(entry.remarks(at: now).joined(separator: ", "))"
    }
}
