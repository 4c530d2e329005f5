package import FocusCore

/// In a test's script a bare number is an instant so many microseconds after the clock began.
extension Instant: ExpressibleByIntegerLiteral {
    package init(integerLiteral microseconds: Int64) { self.init(microseconds: microseconds) }

    /// So long after the clock began.
    package static func after(_ duration: Duration) -> Instant { .zero + duration }
}
