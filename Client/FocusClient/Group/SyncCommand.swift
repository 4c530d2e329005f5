import CommandLineKit
import FocusAgent
import FocusLink
import FocusText
import FocusWords

/// `focus sync`: syncs with the server now.
struct SyncCommand {
    let json: Bool

    /// Prints what moved.
    func run(in context: CommandContext) throws(CommandFailure) {
        let outcome = try context.asked { errands throws(GroupFailure) in
            try reported { () throws(ErrandTrouble) in try errands.sync() }
        }
        let traffic = outcome.traffic
        if json {
            let object = JSON.object([
                JSON.Member("sent", .integer(traffic.sent)),
                JSON.Member("received", .integer(traffic.received)),
                JSON.Member("notices", .array(outcome.notices.map { .string($0.sentence) })),
            ])
            return try context.print("\(object)\n")
        }
        try context.print("In sync: \(counted(traffic.sent, "change")) sent, \(traffic.received) received.\n")
        context.console.say(outcome.notices)
    }
}
