package import FocusCore

/// In tests an integer literal is an instant: milliseconds of shared time since the epoch, or microseconds of
/// a clock's reading.
extension Instant: ExpressibleByIntegerLiteral {
    package init(integerLiteral ticks: Int64) { self.init(ticks: ticks) }

    /// The instant `duration` after the epoch.
    package static func after(_ duration: Duration) -> Instant { .zero + duration }
}

/// In tests an integer literal is a duration in milliseconds.
extension Duration: @retroactive ExpressibleByIntegerLiteral {
    public init(integerLiteral milliseconds: Int64) { self = .milliseconds(milliseconds) }
}
