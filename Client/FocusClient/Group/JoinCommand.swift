package import CommandLineKit
import FocusAgent
package import FocusDevice
package import FocusFront
import FocusLink
import FocusSeal
import FocusStore
import FocusWords
import SystemKit

/// `focus join`: makes this laptop part of a group.
struct JoinCommand {
    let request: JoinRequest

    /// Asks whoever sits at a terminal what becomes of what was recorded alone.
    func run(in context: CommandContext) throws(CommandFailure) {
        let invite = try Invite(handedIn: try request.source.text(context))
        var choice = request.choice ?? .takeAlong
        if request.choice == nil, let device = try context.readDevice() {
            let question = try device.using { device throws(StoreError) in
                try AloneQuestion(invite, device)
            }
            if let question { choice = try question.choice(context.console) }
        }
        let joined = try context.asked { errands throws(GroupFailure) in
            try reported { () throws(ErrandTrouble) in
                try errands.join(invite, called: request.name, choice, giving: GivingUp())
            }
        }
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

extension AloneQuestion {
    /// What the person wants; where nobody sits there to be asked, nothing is shown to the others.
    ///
    /// - Throws: where they end their input instead.
    package func choice(_ console: Console) throws(CommandFailure) -> AloneHistory.Choice {
        switch console.agrees((sentences + [AloneQuestion.question]).joined(separator: "\n")) {
        case .yes: return .takeAlong
        case .no, .nobody: return .leaveBehind
        case .ended: throw CommandFailure("Nothing was changed: this laptop is still on its own.", .notNow)
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
