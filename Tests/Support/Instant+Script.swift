package import FocusCore

/// In a test's script a bare number is an instant so many ticks after the time began: milliseconds of shared time,
/// microseconds of a clock.
extension Instant: ExpressibleByIntegerLiteral {
    package init(integerLiteral ticks: Int64) { self.init(ticks: ticks) }

    /// So long after the time began.
    package static func after(_ duration: Duration) -> Instant { .zero + duration }
}

/// In a test's script a bare number is a length of so many milliseconds.
extension Duration: @retroactive ExpressibleByIntegerLiteral {
    public init(integerLiteral milliseconds: Int64) { self = .milliseconds(milliseconds) }
}
