import CommandLineKit
import CursesKit
import FocusNet

// What asks the server: the same as the commands do, on a thread of its own.
extension FullScreen {
    /// Shows an invite on the usual screen, where it can be copied as one line, until Enter is pressed.
    func invite() {
        isAway = true
        mayReturn = false
        screen.suspend()
        worker.run { [self] in
            let console = context.console
            do throws(CommandFailure) { try context.network.invite(in: context) } catch {
                console.say(error.message)
            }
            console.messages("\nEnter goes back to the timer. ")
            loop.run { self.mayReturn = true }
        }
    }

    /// Shuts a device out, and says what came of it.
    func revoke(_ name: String) {
        shown.state.message = "Asking the server…"
        errand { context throws(CommandFailure) in
            try RevokeCommand(words: [name], isOnly: false, isSure: true).run(in: context)
        }
    }

    private func errand(
        _ body: @escaping @Sendable (CommandContext) throws(CommandFailure) -> Void
    ) {
        worker.run { [self] in
            let said = Said()
            var message: String
            do throws(CommandFailure) {
                try body(context.saying { said.add($0) })
                message = said.text
            } catch {
                message = error.message
            }
            message = message.split(separator: "\n").joined(separator: " ")
            let whole = message
            loop.run {
                self.shown.state.message = whole
                self.model.look()
            }
        }
    }
}
