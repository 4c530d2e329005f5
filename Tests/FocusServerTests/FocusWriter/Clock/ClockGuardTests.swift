import FocusCore
import TestSupport
import Testing

@testable import FocusWriter

@Suite struct ClockGuardTests {
    private let minute: Int64 = 60_000_000

    @Test("a clock that goes evenly is served") func even() {
        var clock = ClockGuard(greatestServed: 0)
        for step: Int64 in 0..<10 {
            #expect(
                clock.look(wall: 1000 * minute + step, steady: SteadyInstant(microseconds: step)).shared
                    == 1000 * minute + step)
        }
        #expect(clock.greatestServed == 1000 * minute + 9)
    }

    @Test("a clock that starts up to 2 minutes behind the time served is sure, further behind it isn't")
    func behind() {
        var clock = ClockGuard(greatestServed: 1000 * minute)
        #expect(clock.look(wall: 998 * minute - 1, steady: 0).shared == nil)
        #expect(clock.look(wall: 998 * minute, steady: 1).shared == 998 * minute)
        #expect(clock.greatestServed == 1000 * minute)
    }

    @Test("a clock that jumps is not sure until it jumps back", arguments: [-5, 5] as [Int64])
    func jumps(minutes: Int64) {
        var clock = ClockGuard(greatestServed: 0)
        #expect(clock.look(wall: 1000 * minute, steady: 0).shared != nil)
        for step: Int64 in 1...3 {
            #expect(
                clock.look(wall: (1000 + minutes + step) * minute, steady: .after(.seconds(step * 60))).shared
                    == nil)
        }
        #expect(clock.greatestServed == 1000 * minute)
        #expect(clock.look(wall: 1004 * minute, steady: .after(.seconds(4 * 60))).shared != nil)
    }

    @Test(
        "a clock that isn't sure says why, and is sure again once it was accepted",
        arguments: [-5, 5] as [Int64])
    func accepting(minutes: Int64) {
        var clock = ClockGuard(greatestServed: 1000 * minute)
        #expect(clock.look(wall: 990 * minute, steady: 0) == .behind(by: .seconds(600)))
        clock.accept(wall: 990 * minute)
        #expect(clock.look(wall: 991 * minute, steady: .after(.seconds(60))) == .sure(991 * minute))
        #expect(clock.greatestServed == 991 * minute)
        let jumped = (991 + minutes) * minute
        #expect(
            clock.look(wall: jumped, steady: .after(.seconds(60)))
                == (minutes < 0 ? .behind(by: .seconds(-60 * minutes)) : .jumped(by: .seconds(60 * minutes))))
        clock.accept(wall: jumped)
        #expect(clock.look(wall: jumped, steady: .after(.seconds(60))) == .sure(jumped))
        #expect(clock.greatestServed == jumped)
    }

    @Test("where the clock isn't sure, the time is what it would be had the clock gone on")
    func time() {
        var clock = ClockGuard(greatestServed: 1000 * minute)
        // Never sure: no time before what was served.
        #expect(clock.time(wall: 900 * minute, steady: 0) == 1000 * minute)
        #expect(clock.time(wall: 1010 * minute, steady: .after(.seconds(60))) == 1010 * minute)
        for jump: Int64 in [-500, 500] {
            #expect(
                clock.time(wall: (1010 + jump) * minute, steady: .after(.seconds(4 * 60))) == 1013 * minute)
        }
        #expect(clock.time(wall: 1015 * minute, steady: .after(.seconds(6 * 60))) == 1015 * minute)
    }

    @Test("small corrections are followed") func corrections() {
        var clock = ClockGuard(greatestServed: 0)
        for step: Int64 in 0..<10 {
            #expect(
                clock.look(wall: (1000 + 2 * step) * minute, steady: .after(.seconds(step * 60))).shared
                    != nil)
        }
    }

    @Test("clocks at the ends of their range don't trap") func extremes() {
        var clock = ClockGuard(greatestServed: .max)
        #expect(clock.look(wall: .min, steady: .distantFuture).shared == nil)
        #expect(clock.look(wall: 0, steady: .distantPast).shared == nil)
        #expect(clock.look(wall: .max, steady: 0).shared == .max)
        #expect(clock.look(wall: .max - 1, steady: .distantFuture).shared == nil)
    }
}
