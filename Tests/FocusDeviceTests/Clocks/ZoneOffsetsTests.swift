import FocusCore
import FocusDevice
import TestSupport
import Testing

@Suite("The offsets of a zone that takes long to ask")
struct ZoneOffsetsTests {
    /// The instants at which the clocks change, a month or more apart, one of them within a second.
    private static let changes: [SharedInstant] = [
        -5_000_000_000, 1_743_296_400_000, 1_761_440_400_123, 1_764_000_000_000,
    ]

    private static func offset(at instant: SharedInstant) -> Duration {
        .seconds(900 * (4 + (changes.count { $0 <= instant }) * 7 % 5))
    }

    @Test("they are those that the zone gives, also just before and after a change")
    func same() {
        let offsets = ZoneOffsets(Self.offset)
        var random = SeededGenerator(seed: 5)
        let near: [Duration] = [.seconds(-86_400), -1, 0, 1, .seconds(259_200)]
        var instants: [SharedInstant] = [.zero, .distantPast, .distantFuture]
        for change in Self.changes { instants += near.map { change + $0 } }
        for _ in 0..<1_000 {
            let milliseconds = Int64.random(in: -9_000_000_000...1_800_000_000_000, using: &random)
            instants.append(SharedInstant(milliseconds: milliseconds))
        }
        for instant in instants {
            #expect(offsets.offset(at: instant) == Self.offset(at: instant), "\(instant.milliseconds)")
        }
    }

    @Test("the zone is asked a few times for each week, and not for each day")
    func seldom() {
        var asked = 0
        let offsets = ZoneOffsets { instant in
            asked += 1
            return Self.offset(at: instant)
        }
        let end: SharedInstant = 1_763_661_600_000
        for hour in 0..<(52 * 7 * 24) as Range<Int64> { _ = offsets.offset(at: end - .seconds(hour * 3_600)) }
        // Three of the weeks have a change.
        #expect(asked < 53 * 2 + 3 * 32)
    }
}
