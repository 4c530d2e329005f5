import CommandLineKit
import FocusCore
import FocusStore
import FocusText

/// `focus export`: writes the log to standard output, as text.
struct ExportCommand {
    /// How much text is written at once.
    private static let chunk = 1 << 16

    /// Prints one event a line, in replay order.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        guard let device else { return }
        let stored = try device.using { device throws(StoreError) in try device.store.allStoredEvents() }
        var text = ""
        var sealed = 0
        for event in stored {
            guard let readable = event.event else {
                sealed += 1
                continue
            }
            text += "\(EventLine(readable, epoch: event.epoch))\n"
            if text.utf8.count >= ExportCommand.chunk {
                try context.print(text)
                text = ""
            }
        }
        try context.print(text)
        guard sealed > 0 else { return }
        context.console.say(
            "Left out \(sealed) event\(sealed == 1 ? "" : "s") that can't be read yet: their key is still to "
                + "come."
        )
    }
}
