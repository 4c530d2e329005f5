/// A key, or a chord of them, as a terminal tells it.
package enum Key: Hashable, Sendable {
    /// What types a character; the space bar too.
    case character(Unicode.Scalar)
    /// A character that was pasted: it is text, whatever the key of that name does. Line ends and tabs are spaces.
    case pasted(Unicode.Scalar)
    /// A letter, in lower case, with Ctrl held.
    case control(Unicode.Scalar)
    case enter, escape, tab, backTab, backspace, delete
    case up, down, left, right, home, end, pageUp, pageDown
    /// Any other: a chord with Alt, a function key.
    case other
}
