/// What came of a question to the person.
package enum Reply: Hashable, Sendable {
    /// The line that they typed.
    case line(String)
    /// Their input ended instead, as Ctrl-D has it.
    case ended
    /// Nobody sits there.
    case nobody
}

/// What a person says to a question whose answer is yes or no.
package enum Agreement: Hashable, Sendable {
    case yes, no
    /// Their input ended instead.
    case ended
    /// Nobody sits there.
    case nobody
}
