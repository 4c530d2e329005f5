extension Duration {
    /// Whole microseconds, what is left being dropped; the nearest that there is where they are too many.
    package var inMicroseconds: Int64 { whole(of: 1_000_000) }

    /// Whole milliseconds, in the same way.
    package var inMilliseconds: Int64 { whole(of: 1_000) }

    /// Whole seconds, in the same way.
    package var inSeconds: Int64 { components.seconds }

    /// Seconds and what is left, as near as a `Double` comes.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// - Parameter parts: how many of them make a second.
    private func whole(of parts: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: parts)
        let (sum, overflow) = whole.addingReportingOverflow(
            attoseconds / (1_000_000_000_000_000_000 / parts))
        return isTooMuch || overflow ? (seconds < 0 ? .min : .max) : sum
    }
}
