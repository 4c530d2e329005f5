package import CommandLineKit
package import FocusCore
package import FocusDevice
package import FocusFront
import FocusLink

/// The reason why the page's server doesn't do what a request asks for. `PageText` gives each its sentence
/// and HTTP status.
package enum PageError: Error {
    // The request's origin and form.

    /// The request comes from another page.
    case foreignOrigin
    /// The browser's cookie isn't valid.
    case notSignedIn
    /// The body's media type isn't JSON.
    case notJSON
    /// The body isn't a valid request.
    case malformed(PagePress.Malformed)
    /// The query parameter of this name isn't a day.
    case invalidDay(String)
    /// The query has both a label and a tag.
    case labelAndTag
    /// The query's tag can't be a tag.
    case invalidTag
    /// The query parameter of this name is given twice.
    case duplicateParameter(String)
    /// The query's time zone isn't a valid name.
    case invalidZone
    /// The handle matches no entry of the history, or several.
    case noEntry(History.NoEntry)

    // The outcome.

    /// A person must answer this question with yes first.
    case needsConfirmation(PageConfirmation)
    /// This laptop is already joining a group.
    case isJoining
    /// The maximum number of group operations is already running.
    case tooManyOperations
    /// An interaction wasn't performed.
    case perform(PerformFailure)
    /// Something is wrong on this laptop.
    case device(DeviceFailure)
    /// No event loop can be created for a group operation or a document, for the reason in this sentence.
    case network(String)
    /// A failure that commands have too.
    case command(CommandFailure)

    /// Returns the page's failure for an interaction, or a question if a person must confirm it first.
    static func performError(_ failure: PerformFailure) -> PageError {
        switch failure {
        case .needsConsent(let warning): .needsConfirmation(.undo(warning))
        case .tooFarBack(let backdating, let now):
            .needsConfirmation(
                .backdating(backdating.sentence("would count", now: now) ?? "", .shortReach))
        case .takesCompleted:
            .needsConfirmation(.backdating(failure.takesCompletedSentence ?? "", .lostWork))
        default: .perform(failure)
        }
    }
}

/// A question that the page must ask before something is done.
package enum PageConfirmation: Sendable {
    /// Whether to undo a press that has a large effect on the history, or that another laptop made a moment
    /// ago.
    case undo(UndoWarning)
    /// Whether to stop or start as of an earlier time although that has this consequence, which the sentence
    /// names.
    case backdating(String, BackdatingConsent)
    /// Whether history that was recorded in no group comes along into the group.
    case takeAlong(SoloHistoryQuestion)
    /// Whether to leave the group, in which this may be the last laptop, and which may have its server here.
    case leave(isOnlyMember: Bool, isServer: Bool)
    /// Whether to leave the group although the server couldn't be told: this question.
    case leaveUntold(String)
}

/// Runs `body`, and throws its error as a `PageError`.
func mapError<Failure: Error, Result>(
    _ wrap: (Failure) -> PageError, _ body: () throws(Failure) -> Result
) throws(PageError) -> Result {
    do throws(Failure) { return try body() } catch { throw wrap(error) }
}
