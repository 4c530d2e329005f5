import CommandLineKit

/// `focus devices revoke`: shuts a laptop out of the group, for good.
struct RevokeCommand {
    let name: String
    /// Whether nobody is to be asked.
    let isSure: Bool

    /// Asks whoever sits at a terminal; a script means what it says.
    func run(in context: CommandContext) throws(CommandFailure) {
        let question = "Shut \(name) out of the group for good?"
        guard isSure || context.console.confirms(question) ?? true else {
            throw CommandFailure("\(name) stays in the group.", .notNow)
        }
        try context.network.revokeDevice(name, in: context)
    }
}
