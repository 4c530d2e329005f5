import CommandLineKit
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
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
        let (named, others) = try device.found { keys throws(DeviceKeys.Failure) in
            (try keys.revocable(words), keys.unnamed)
        }
        // Whoever is shut out may have listed them.
        let unnamed = isOnly ? [] : others.filter { other in !named.contains { $0.key == other.key } }
        let names = named.map(\.title)
        let question = RevokeCommand.question(names, along: unnamed.map(\.title))
        guard try context.console.consents(to: question, isSure: isSure) else {
            throw CommandFailure(
                "\(DeviceName.some(names)) \(named.count == 1 ? "stays" : "stay") in the group.", .notNow)
        }
        try context.network.revokeDevices(
            (named + unnamed).map(\.key), called: DeviceName.some((named + unnamed).map(\.title)), in: context
        )
    }

    /// What is asked before laptops of these names are shut out.
    ///
    /// - Parameter others: those that go along, since whoever is shut out may have listed them.
    static func question(_ names: [String], along others: [String]) -> String {
        let along =
            others.isEmpty
            ? "" : " and with it \(DeviceName.some(others)), which the server lists and no laptop has named,"
        return "Shut \(DeviceName.some(names))\(along) out of the group for good?"
    }
}

/// `focus devices readmit`: takes a revocation back, whoever made it.
struct ReadmitCommand: WritingCommand {
    /// Its name, or the first digits of its key.
    let word: String

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let found = try device.found { keys throws(DeviceKeys.Failure) in try keys.revoked(word) }
        do {
            try device.rule([.readmit(found.key)])
        } catch {
            throw ErrandFailure(error).asCommandFailure
        }
        context.console.say(
            """
            The revocation of \(found.title) is taken back. Its key stays what it was to servers: refused. It comes back
            as another one: 'focus invite' here, then 'focus leave' and 'focus join INVITE' there.
            """)
    }
}
