import FocusCore

/// A random number generator (SplitMix64, Steele et al. 2014). Equal seeds give equal numbers, so that a
/// failed test can be repeated exactly.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence of numbers for `seed`.
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SeededGenerator {
    /// Returns a duration of whole milliseconds, evenly distributed up to and including `longest`.
    package mutating func length(_ shortest: Duration = .zero, upTo longest: Duration) -> Duration {
        .milliseconds(Int64.random(in: shortest.inMilliseconds...longest.inMilliseconds, using: &self))
    }
}
