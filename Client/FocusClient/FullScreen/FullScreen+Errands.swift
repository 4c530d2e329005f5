import CommandLineKit
import CursesKit
import FocusAgent
import FocusDevice
import FocusLink
import FocusNet
import FocusSeal
import FocusStore
import FocusWords

// What asks the server: the same as the commands do, on a thread of its own.
extension FullScreen {
    /// Makes an invite, and shows it on the usual screen, where it can be copied as one line, until Enter is pressed.
    func invite() {
        errand { context throws(CommandFailure) in
            try context.network.invite(in: context)
        } done: { [self] made, _ in
            isAway = true
            mayReturn = true
            screen.suspend()
            do throws(CommandFailure) { try made.show(in: context) } catch {
                context.console.say(error.message)
            }
            context.console.messages("\nEnter goes back. ")
        }
    }

    /// Shuts these devices out, and says what came of it.
    func revoke(_ keys: [String]) {
        command { context throws(CommandFailure) in
            try RevokeCommand(words: keys, isOnly: true, isSure: true).run(in: context)
        }
    }

    /// Gives the group's key to a device that waits for it, and says what came of it.
    func accept(_ key: String) {
        command { context throws(CommandFailure) in
            try AcceptCommand(name: key, isSure: true).run(in: context)
        }
    }

    /// Takes back that a device was shut out, and says what that means.
    func readmit(_ key: String) {
        command { context throws(CommandFailure) in try ReadmitCommand(word: key).runAndTell(in: context) }
    }

    /// Parts from the group, and says where the copy of its log is.
    func part() {
        command { context throws(CommandFailure) in try LeaveCommand(isSure: true).runAndTell(in: context) }
    }

    // MARK: - Joining

    /// Joins with an invite, or first asks what becomes of what was recorded alone.
    func use(_ invite: Invite, askedIn dialog: Dialog) {
        do throws(CommandFailure) {
            try told { () throws(DeviceFailure) in try model.device.requireAlone() }
            let question = try model.device.using { device throws(StoreError) in
                try AloneQuestion(invite, device)
            }
            if let question {
                shown.state.dialog = .question(.alone(question, invite))
            } else {
                // Nobody was asked, so nothing that comes to be meanwhile is shown to the others.
                join(invite, .leaveBehind)
            }
        } catch {
            shown.state.refuse(error.message, askedIn: dialog)
        }
    }

    /// Joins, and says what came of it.
    func join(_ invite: Invite, _ choice: AloneHistory.Choice) {
        let giving = GivingUp()
        joining = giving
        errand(.joining) { context throws(CommandFailure) in
            try context.network.join(invite, called: nil, choice, giving: giving, in: context)
        } done: { [self] joined, said in
            shown.state.joined(joined, said)
        }
    }

    // MARK: - Errands

    /// Runs a command, and says what it says.
    private func command(
        _ body: @escaping @Sendable (CommandContext) throws(CommandFailure) -> Void
    ) {
        errand(.asking, body) { [self] _, said in shown.state.message = said }
    }

    /// Runs an errand; `done` is given what came of it and what was said meanwhile, where it didn't fail.
    private func errand<Value: Sendable>(
        _ what: Underway = .asking,
        _ body: @escaping @Sendable (CommandContext) throws(CommandFailure) -> Value,
        done: @escaping @Sendable (Value, String) -> Void
    ) {
        errands += 1
        shown.state.underway = what
        worker.run { [self] in
            let said = Said()
            let result: Result<Value, CommandFailure>
            do throws(CommandFailure) {
                result = .success(try body(context.saying { said.add($0) }))
            } catch {
                result = .failure(error)
            }
            let line = said.line
            loop.run {
                self.errands -= 1
                if what == .joining { self.joining = nil }
                if self.errands == 0 { self.shown.state.underway = nil }
                switch result {
                case .success(let value): done(value, line)
                case .failure(let failure):
                    self.shown.state.message = ([failure.message] + (line.isEmpty ? [] : [line]))
                        .joined(separator: " ")
                }
                self.model.look()
            }
        }
    }
}
