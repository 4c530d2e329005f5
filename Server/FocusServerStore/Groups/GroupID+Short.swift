import FocusCore
import FocusText

extension GroupID {
    /// The beginning of the id, which tells a server's groups apart for people.
    package var short: String { String(text.prefix(8)) }
}
