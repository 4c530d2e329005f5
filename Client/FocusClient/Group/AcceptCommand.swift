import CommandLineKit
import FocusAgent
import FocusCore
import FocusDevice
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
        let question = AcceptCommand.question(found.title, found.key.hexadecimal)
        guard try context.console.consents(to: question, isSure: isSure) else {
            throw CommandFailure("\(found.title) is still waiting.", .notNow)
        }
        let sentences = try context.asked { errands throws(GroupFailure) in try errands.accept(found) }
        try context.show(sentences)
    }

    /// What is asked before the laptop of this name and key gets the group's key.
    static func question(_ title: String, _ key: String) -> String {
        let digits = DeviceName.digits(key)
        let name = title.contains(digits) ? title : "\(title) (\(digits))"
        return
            "Let \(name) read what is changed from now on? It came with a key from before a laptop was shut out."
    }
}
