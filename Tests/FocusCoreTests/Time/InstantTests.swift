import TestSupport
import Testing

@testable import FocusCore

@Suite("Instants and lengths of time")
struct InstantTests {
    /// The lengths at which the division into units changes, and the extremes.
    private static let numbers: [Int64] = [
        0, 1, 999, 1_000, 86_400_000, 1 << 28, 1 << 48, 1 << 62, .max, .min, .min + 1, -1, -999, -86_400_001,
    ]

    @Test("a length of so many milliseconds says that it is so many, whichever it is", arguments: numbers)
    func milliseconds(number: Int64) {
        #expect(Duration.milliseconds(number).inMilliseconds == number)
        #expect(Duration.microseconds(number).inMicroseconds == number)
        #expect(Duration.seconds(number).inSeconds == number)
    }

    @Test("what is less than a unit is dropped, towards zero, and what is too much is the outermost there is")
    func rounding() {
        #expect(Duration.microseconds(1_999).inMilliseconds == 1)
        #expect(Duration.microseconds(-1_999).inMilliseconds == -1)
        #expect(Duration.milliseconds(-1).inSeconds == 0)
        #expect((Duration.milliseconds(Int64.max) + .microseconds(999)).inMilliseconds == .max)
        #expect(Duration.seconds(Int64.max).inMilliseconds == .max)
        #expect(Duration.seconds(Int64.min).inMicroseconds == .min)
    }

    @Test("a reading is in the millisecond that has begun, before 1970 too")
    func readings() {
        for (reading, millisecond) in [(0, 0), (1_999, 1), (-1, -1), (-1_000, -1), (-1_001, -2)]
            as [(Int64, Int64)]
        {
            #expect(
                SharedReading(microseconds: reading).instant == SharedInstant(milliseconds: millisecond))
        }
        #expect(SharedReading.distantPast.instant <= SharedInstant.zero)
    }

    @Test("lengths of any size are divided as whole numbers are")
    func anyLength() {
        var random = SeededGenerator(seed: 15)
        for _ in 0..<10_000 {
            let bits = Int.random(in: 0..<63, using: &random)
            let count = Int64.random(in: -(1 << bits)...(1 << bits), using: &random)
            #expect(Duration.microseconds(count).inMilliseconds == count / 1_000)
            #expect(Duration.microseconds(count).inSeconds == count / 1_000_000)
            #expect(Duration.nanoseconds(count).inMicroseconds == count / 1_000)
        }
    }

    @Test("an instant moved by what lies between two is the other one", arguments: numbers)
    func difference(number: Int64) {
        for other in InstantTests.numbers {
            let (one, two) = (SharedInstant(milliseconds: number), SharedInstant(milliseconds: other))
            #expect(one + (two - one) == two)
            #expect(one - (one - two) == two)
            #expect((two - one) == .zero - (one - two))
            #expect((one < two) == (number < other))
        }
    }

    @Test("beyond the last instant there is only the last, and before the first the first")
    func outermost() {
        #expect(SharedInstant.distantFuture + .milliseconds(1) == .distantFuture)
        #expect(SharedInstant.distantPast + .seconds(Int64.min) == .distantPast)
        #expect(SharedInstant.distantPast - .milliseconds(1) == .distantPast)
        #expect(SharedInstant.distantFuture - .seconds(Int64.min) == .distantFuture)
        #expect(SharedInstant.zero + .seconds(Int64.max) == .distantFuture)
        #expect(SteadyInstant.zero - .seconds(Int64.max) == .distantPast)
        #expect(SharedInstant(seconds: .max) == .distantFuture)
        #expect(SharedReading(.distantPast) == .distantPast)
    }

    @Test("later by seconds is as by a length of them", arguments: numbers)
    func laterBySeconds(number: Int64) {
        for start in InstantTests.numbers.map(SharedInstant.init(milliseconds:)) {
            #expect(start.later(bySeconds: number) == start + .seconds(number))
        }
    }

    @Test("whole seconds are rounded down, before 1970 too")
    func seconds() {
        #expect(SharedInstant(milliseconds: 1_999).seconds == 1)
        #expect(SharedInstant(milliseconds: -1).seconds == -1)
        #expect(SharedReading(microseconds: 1_999).instant == SharedInstant(milliseconds: 1))
    }
}
