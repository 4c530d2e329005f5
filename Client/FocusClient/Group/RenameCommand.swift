import CommandLineKit
import FocusCore
import FocusDevice
import FocusStore
import FocusWords

/// `focus devices rename`: gives this laptop another name.
struct RenameCommand: WritingCommand {
    let name: String

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        do throws(PerformFailure) {
            _ = try device.perform(.nameDevice(name))
        } catch {
            throw CommandFailure(error, device.home)
        }
        let name = try device.using { device throws(StoreError) in try device.name() }
        context.console.say("This laptop is now called \(name).")
    }
}
