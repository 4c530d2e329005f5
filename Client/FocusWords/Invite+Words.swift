package import CommandLineKit
import FocusLink
package import FocusSeal

extension Invite {
    /// The invite that a person has typed or pasted.
    ///
    /// - Throws: where it is none, with what to do.
    package init(handedIn text: String) throws(CommandFailure) {
        do { try self.init(text) } catch { throw ErrandFailure(error).asCommandFailure }
    }
}
