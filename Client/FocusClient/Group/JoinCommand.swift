package import CommandLineKit
package import FocusSeal
import FocusStore

/// `focus join`: makes this laptop part of a group.
struct JoinCommand {
    let request: JoinRequest

    /// Asks whoever sits at a terminal what becomes of what was recorded alone.
    func run(in context: CommandContext) throws(CommandFailure) {
        let invite = try Invite(handedIn: try request.source.text(context))
        var choice = request.choice ?? .takeAlong
        if request.choice == nil, let question = try AloneQuestion(invite, .reading(context)) {
            choice = try question.choice(context.console)
        }
        let joined = try context.network.join(
            invite, called: request.name, choice, giving: GivingUp(), in: context)
        try context.print("\(joined.sentence)\n")
        if joined.isFirst {
            try context.print(
                "Let the next one in with 'focus invite' here, and 'focus join INVITE' there.\n")
        }
        if let namesake = joined.namesakeSentence("'focus devices rename NAME'") {
            context.console.say(namesake)
        }
        context.console.say(joined.notices)
    }
}

extension Invite {
    /// The invite that a person has typed or pasted.
    ///
    /// - Throws: where it is none, with what to do.
    package init(handedIn text: String) throws(CommandFailure) {
        do { try self.init(text) } catch { throw ErrandFailure(error).asCommandFailure }
    }
}

extension Device {
    /// Views make a laptop part of a group only where it is alone: what it is in would turn the invite down only after
    /// that was used up.
    func requireAlone() throws(CommandFailure) {
        guard try using({ device throws(StoreError) in try device.store.group() }) == nil else {
            throw CommandFailure(
                "This laptop is in a group already. Leave that first, and then join with an invite to the other one. "
                    + "'focus join' in a terminal takes this group to another server.", .notNow)
        }
    }
}

extension InviteSource {
    /// The invite's text.
    fileprivate func text(_ context: CommandContext) throws(CommandFailure) -> String {
        switch self {
        case .argument(let text): return text
        case .standardInput:
            do throws(SystemError) {
                return String(decoding: try context.contents("-"), as: UTF8.self)
            } catch {
                throw CommandFailure(error)
            }
        }
    }
}
