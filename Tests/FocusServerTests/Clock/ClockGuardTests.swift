import Testing

@testable import FocusServer

@Suite struct ClockGuardTests {
    private let minute: Int64 = 60_000_000

    @Test("a clock that goes evenly is served") func even() {
        var clock = ClockGuard(greatestServed: 0)
        for step: Int64 in 0..<10 {
            #expect(clock.shared(wall: 1000 * minute + step, steady: step) == 1000 * minute + step)
        }
        #expect(clock.greatestServed == 1000 * minute + 9)
    }

    @Test("a clock that starts up to 2 minutes behind the time served is sure, further behind it isn't")
    func behind() {
        var clock = ClockGuard(greatestServed: 1000 * minute)
        #expect(clock.shared(wall: 998 * minute - 1, steady: 0) == nil)
        #expect(clock.shared(wall: 998 * minute, steady: 1) == 998 * minute)
        #expect(clock.greatestServed == 1000 * minute)
    }

    @Test("a clock that jumps is not sure until it jumps back", arguments: [-5, 5] as [Int64])
    func jumps(minutes: Int64) {
        var clock = ClockGuard(greatestServed: 0)
        #expect(clock.shared(wall: 1000 * minute, steady: 0) != nil)
        for step: Int64 in 1...3 {
            #expect(clock.shared(wall: (1000 + minutes + step) * minute, steady: step * minute) == nil)
        }
        #expect(clock.greatestServed == 1000 * minute)
        #expect(clock.shared(wall: 1004 * minute, steady: 4 * minute) != nil)
    }

    @Test("small corrections are followed") func corrections() {
        var clock = ClockGuard(greatestServed: 0)
        for step: Int64 in 0..<10 {
            #expect(clock.shared(wall: (1000 + 2 * step) * minute, steady: step * minute) != nil)
        }
    }

    @Test("clocks at the ends of their range don't trap") func extremes() {
        var clock = ClockGuard(greatestServed: .max)
        #expect(clock.shared(wall: .min, steady: .max) == nil)
        #expect(clock.shared(wall: 0, steady: .min) == nil)
        #expect(clock.shared(wall: .max, steady: 0) == .max)
        #expect(clock.shared(wall: .max - 1, steady: .max) == nil)
    }
}
