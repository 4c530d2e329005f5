import CommandLineKit
import FocusCore
import FocusStore

/// `focus devices revoke`: shuts laptops out of the group, for good.
struct RevokeCommand {
    /// Their names, or the first digits of their keys.
    let words: [String]
    /// Whether those stay that the server lists and no laptop has named.
    let isOnly: Bool
    /// Whether nobody is to be asked.
    let isSure: Bool

    /// Asks whoever sits at a terminal; a script means what it says.
    func run(in context: CommandContext) throws(CommandFailure) {
        guard let device = try Device.reading(context) else { throw ErrandFailure.noGroup.asCommandFailure }
        let keys = try device.deviceKeys()
        let named = try keys.revocable(words)
        // Whoever is shut out may have listed them.
        let unnamed = isOnly ? [] : keys.unnamed.filter { other in !named.contains { $0.key == other.key } }
        let names = named.map(\.title).joined(separator: ", ")
        let others = unnamed.map(\.title).joined(separator: ", ")
        let along =
            others.isEmpty ? "" : " and with it \(others), which the server lists and no laptop has named,"
        guard isSure || context.console.confirms("Shut \(names)\(along) out of the group for good?") ?? true
        else {
            throw CommandFailure("\(names) \(named.count == 1 ? "stays" : "stay") in the group.", .notNow)
        }
        try context.network.revokeDevices(
            (named + unnamed).map(\.key), called: (named + unnamed).map(\.title).joined(separator: ", "),
            in: context)
    }
}

/// `focus devices readmit`: takes a revocation back, whoever made it.
struct ReadmitCommand: WritingCommand {
    /// Its name, or the first digits of its key.
    let word: String

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let found = try device.deviceKeys().revoked(word)
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
