package import CommandLineKit
import FocusLink
import FocusSeal

extension ErrandFailure {
    /// The failure as a command reports it.
    package var asCommandFailure: CommandFailure {
        switch self {
        case .ended(let end): CommandFailure(end.explanation, end.status)
        case .refused(let refusal): CommandFailure(refusal.explanation, .refused)
        case .timedOut: CommandFailure("The server didn't answer in time. Try again.", .unreachable)
        case .givenUp: CommandFailure("Given up before the server had answered.", .unreachable)
        case .noGroup:
            CommandFailure(
                "This laptop is in no group. 'focus join INVITE' lets it into one; 'focusd invite' on a server, or 'focus invite' on a laptop of the group, makes the invite.",
                .notNow)
        case .joining(let failure): failure.asCommandFailure
        case .device(let failure): CommandFailure(failure)
        case .seal(let error): CommandFailure(TextLayout.sentence(error.description))
        case .other(let description): CommandFailure(description)
        }
    }
}

extension JoiningFailure {
    fileprivate var asCommandFailure: CommandFailure {
        switch self {
        case .notAsked: CommandFailure("The server let this laptop in, though it hadn't asked to join.")
        case .otherGroup:
            CommandFailure("The server let this laptop into another group than the invite's.")
        case .inAnotherGroup:
            CommandFailure(
                "This laptop is in another group already. Leave that first ('focus leave' keeps a copy of its log), then join with a new invite: this one is used up.",
                .notNow)
        case .leftMeanwhile:
            CommandFailure(
                "This laptop left its group meanwhile, so it hasn't joined. Join again with a new invite.",
                .notNow)
        case .noGroupKept:
            CommandFailure("This laptop's log names no group though it just joined one.")
        }
    }
}
