import CommandLineKit
import FocusStore

/// `focus status`: what every laptop shows now. It runs often, in bars and prompts, and so does as little as
/// it can.
struct StatusCommand {
    let form: StatusForm

    /// Prints the state once.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        let status: DeviceStatus
        if let device {
            status = try device.using { device throws(StoreError) in try DeviceStatus(device) }
        } else {
            status = DeviceStatus(withoutLog: context)
        }
        let text = status.text(form, context.console.paint)
        try context.print("\(text)\n")
    }
}
