import CommandLineKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusNet
import FocusWords

/// Why the page's server doesn't do what it is asked for. `PageText` says what each is in words and in HTTP.
enum PageFailure: Error {
    // Who asks, and in which form.

    /// Another page asks.
    case foreign
    /// The browser's cookie lets nobody in.
    case notSignedIn
    /// The body isn't said to be JSON.
    case otherForm
    /// The body asks for nothing that there is.
    case malformed(PagePress.Malformed)
    /// What the address gives for this name is no day.
    case noDay(String)
    /// The address names both.
    case labelAndTag
    /// The address gives this name two values.
    case givenTwice(String)
    /// What the address gives for a time zone is no name of one.
    case noZone
    /// No entry of the history is meant, or several.
    case noEntry(History.NoEntry)

    // What it comes to.

    /// It is done once somebody has said yes to this.
    case asks(PageQuestion)
    /// This laptop is joining a group already.
    case isJoining
    /// As many errands as may be are on their way.
    case tooMuch
    /// An interaction wasn't carried out.
    case perform(PerformFailure)
    /// Something is wrong on this laptop.
    case device(DeviceFailure)
    /// There is no loop to be had for an errand.
    case network(NetError)
    /// What the server was asked for came to nothing.
    case errand(ErrandTrouble)
    /// The same as this laptop joins: what a person should know besides is said with it.
    case joining(ErrandTrouble)
    /// The same for what all front ends do with laptops of the group, in their words.
    case group(GroupFailure)
    /// What a command would fail by as well.
    case command(CommandFailure)

    /// Why an interaction wasn't carried out; that it is to be asked about is a question.
    static func performing(_ failure: PerformFailure) -> PageFailure {
        if case .claims(let claim) = failure { .asks(.undo(claim)) } else { .perform(failure) }
    }
}

/// What a page is to ask before something is done.
enum PageQuestion {
    /// Whether to undo what others have seen.
    case undo(UndoClaim)
    /// Whether what was recorded alone comes along into the group.
    case takeAlong(AloneQuestion)
    /// Whether to leave the group, of which this may be the last laptop.
    case leave(isLast: Bool)
}

/// Does something that fails in a way of its own, which the page has a failure for.
func failing<Failure: Error, Result>(
    _ wrap: (Failure) -> PageFailure, _ body: () throws(Failure) -> Result
) throws(PageFailure) -> Result {
    do throws(Failure) { return try body() } catch { throw wrap(error) }
}
