import CommandLineKit
import FocusDevice
import FocusStore
import FocusWords

/// `focus status`: what every laptop shows now. It runs often, in bars and prompts, and so does as little as
/// it can.
struct StatusCommand {
    let form: StatusForm

    /// Prints the state once.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        let status: DeviceStatus
        var troubles: [Trouble] = []
        if let device {
            (status, troubles) = try device.using { device throws(StoreError) in
                let status = try DeviceStatus(device)
                return (status, try device.troubles(status.state, at: status.now))
            }
        } else {
            status = DeviceStatus(withoutLog: context.machine)
        }
        let text = status.text(form, in: context)
        try context.print("\(text)\n")
        // The other forms are for programs, which may ask each second.
        if form == .line { context.console.say(troubles) }
    }
}
