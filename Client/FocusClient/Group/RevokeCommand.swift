import CommandLineKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusWords

/// `focus devices revoke`: shuts laptops out of the group, for good.
struct RevokeCommand {
    /// Their names, or the first digits of their keys.
    let words: [String]
    /// Whether those stay that the server lists and no laptop has named.
    let isOnly: Bool
    /// Whether nobody is to be asked.
    let isSure: Bool

    /// Asks whoever sits at a terminal.
    func run(in context: CommandContext) throws(CommandFailure) {
        guard let device = try context.readDevice() else { throw ErrandFailure.noGroup.asCommandFailure }
        let found = try device.found { keys throws(DeviceKeys.Failure) in
            try keys.revocable(words, isOnly: isOnly)
        }
        let names = found.named.map(\.title)
        let question = GroupQuestion.revoke(names, along: found.unnamed.map(\.title))
        guard try context.console.consents(to: question, isSure: isSure) else {
            throw CommandFailure(
                "\(DeviceName.some(names)) \(names.count == 1 ? "stays" : "stay") in the group.", .notNow)
        }
        let sentences = try context.asked { errands throws(GroupFailure) in try errands.revoke(found) }
        try context.show(sentences)
    }
}

/// `focus devices readmit`: takes a revocation back, whoever made it.
struct ReadmitCommand: WritingCommand {
    /// Its name, or the first digits of its key.
    let word: String

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        context.console.say(try device.readmit(word))
    }
}
