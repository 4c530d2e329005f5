// Text says in which unit a time is. Swift would take anything into a text, and call an instant by its fields: these are
// what it takes instead, and the warning is what keeps it from being done.

extension DefaultStringInterpolation {
    /// Not to be used: FocusText's `InstantText` has the texts of instants, and `milliseconds` is a number.
    @available(*, deprecated, message: "say how: InstantText.text, or milliseconds")
    package mutating func appendInterpolation<Scale>(_ instant: Instant<Scale>) {
        appendInterpolation(instant.ticks)
    }

    /// Not to be used: `inMilliseconds`, `inSeconds` and `seconds` are numbers.
    @available(*, deprecated, message: "say in which unit: inMilliseconds, inSeconds")
    package mutating func appendInterpolation(_ length: Duration) {
        appendInterpolation(length.inMilliseconds)
    }
}
