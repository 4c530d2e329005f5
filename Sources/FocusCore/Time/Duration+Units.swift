extension Duration {
    /// Whole microseconds, what is left being dropped; the nearest that there is where they are too many.
    package var inMicroseconds: Int64 { Int64(clamping: whole(of: 1_000_000)) }

    /// Whole milliseconds, in the same way.
    package var inMilliseconds: Int64 { Int64(clamping: whole(of: 1_000)) }

    /// Whole seconds, in the same way.
    package var inSeconds: Int64 { Int64(clamping: whole(of: 1)) }

    /// Seconds and what is left, as near as a `Double` comes.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// How long it is, whichever way.
    package var magnitude: Duration { self < .zero ? .zero - self : self }

    /// Whole parts of a second, what is left being dropped.
    ///
    /// - Parameter parts: how many of them make a second, a divisor of 10^18.
    @inline(__always)
    func whole(of parts: Int64) -> Int128 {
        let divisor = Duration.attosecondsPerSecond / parts
        // Every sum of an instant and a length asks this: without its twos a length of some hours is one of 64 bits,
        // and dividing that by what is left of the divisor is a multiplication.
        let twos = divisor.trailingZeroBitCount
        if attoseconds >= 0, let short = Int64(exactly: attoseconds &>> Int128(twos)) {
            return Int128(short / (divisor &>> Int64(twos)))
        }
        return attoseconds / Int128(divisor)
    }

    /// So many parts of a second.
    ///
    /// - Parameter parts: as in `whole`.
    @inline(__always)
    init(_ count: Int128, of parts: Int64) {
        // Of 65 bits at most, so 128 are enough.
        self.init(attoseconds: count &* Int128(Duration.attosecondsPerSecond / parts))
    }

    private static var attosecondsPerSecond: Int64 { 1_000_000_000_000_000_000 }
}
