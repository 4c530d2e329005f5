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
            console.messages("\nEnter goes back. ")
            loop.run { self.mayReturn = true }
        }
    }

    /// Shuts these devices out, and says what came of it.
    func revoke(_ keys: [String]) {
        errand { context throws(CommandFailure) in
            try RevokeCommand(words: keys, isOnly: true, isSure: true).run(in: context)
        }
    }

    /// Gives the group's key to a device that waits for it, and says what came of it.
    func accept(_ key: String) {
        errand { context throws(CommandFailure) in
            try AcceptCommand(name: key, isSure: true).run(in: context)
        }
    }

    /// Takes back that a device was shut out, and says what that means.
    func readmit(_ key: String) {
        errand { context throws(CommandFailure) in try ReadmitCommand(word: key).runAndTell(in: context) }
    }

    private func errand(
        _ body: @escaping @Sendable (CommandContext) throws(CommandFailure) -> Void
    ) {
        shown.state.message = "Asking the server…"
        worker.run { [self] in
            let said = Said()
            var message: String
            do throws(CommandFailure) {
                try body(context.saying { said.add($0) })
                message = said.line
            } catch {
                message = ([error.message] + (said.line.isEmpty ? [] : [said.line])).joined(separator: " ")
            }
            let whole = message
            loop.run {
                self.shown.state.message = whole
                self.model.look()
            }
        }
    }
}
