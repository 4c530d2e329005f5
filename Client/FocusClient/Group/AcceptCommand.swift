import CommandLineKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusWords

/// `focus devices accept`: gives the group's key to a laptop that came with an old one.
struct AcceptCommand {
    let name: String
    /// Whether nobody is to be asked.
    let isSure: Bool

    /// Asks whoever sits at a terminal.
    func run(in context: CommandContext) throws(CommandFailure) {
        guard let device = try context.readDevice() else { throw ErrandFailure.noGroup.asCommandFailure }
        let found = try device.found { keys throws(DeviceKeys.Failure) in try keys.latecomer(name) }
        let question = GroupQuestion.accept(found.title, found.key.hexadecimal)
        guard try context.console.consents(to: question, isSure: isSure) else {
            throw CommandFailure("\(found.title) is still waiting.", .notNow)
        }
        let sentences = try context.asked { errands throws(GroupFailure) in try errands.accept(found) }
        try context.show(sentences)
    }
}
