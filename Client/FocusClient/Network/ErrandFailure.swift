package import CommandLineKit
import FocusCore
import FocusSeal
package import FocusSync

/// Why an errand failed.
package enum ErrandFailure: Error, Sendable {
    case ended(SyncEnd)
    /// The server refused what was asked.
    case refused(Refusal)
    case timedOut
    /// Whoever asked for it waits no longer.
    case givenUp
    case noGroup
    case device(CommandFailure)

    init(_ error: any Error) {
        switch error {
        case let failure as ErrandFailure: self = failure
        case let end as SyncEnd: self = .ended(end)
        case let failure as CommandFailure: self = .device(failure)
        case let error as SealError: self = .device(CommandFailure(TextLayout.sentence(error.description)))
        default: self = .device(CommandFailure("\(error)"))
        }
    }

    /// The failure as a command reports it.
    var asCommandFailure: CommandFailure {
        switch self {
        case .ended(let end): CommandFailure(end.explanation, end.status)
        case .refused(let refusal): CommandFailure(refusal.explanation, .refused)
        case .timedOut: CommandFailure("The server didn't answer in time. Try again.", .unreachable)
        case .givenUp: CommandFailure("Given up before the server had answered.", .unreachable)
        case .noGroup:
            CommandFailure(
                "This laptop is in no group. 'focus join INVITE' lets it into one; 'focusd invite' on a server, or 'focus invite' on a laptop of the group, makes the invite.",
                .notNow)
        case .device(let failure): failure
        }
    }
}
