import FocusCore
import TestSupport
import Testing

@testable import FocusServerCore

@Suite struct ClockGuardTests {
    /// Returns the reading after `minutes` minutes of shared time.
    private func at(_ minutes: Int64) -> SharedReading { .after(.seconds(60 * minutes)) }

    @Test("a clock that goes evenly is served, and small corrections are followed")
    func even() {
        var clock = ClockGuard(greatestServed: 0)
        for step: Int64 in 0..<10 {
            #expect(
                clock.check(wall: at(1000) + .microseconds(step), steady: SteadyInstant(microseconds: step))
                    .shared
                    == at(1000) + .microseconds(step))
        }
        #expect(clock.greatestServed == at(1000) + .microseconds(9))
        for step: Int64 in 1..<10 {
            #expect(
                clock.check(wall: at(1000 + 2 * step), steady: .after(.seconds(step * 60))).shared != nil)
        }
    }

    @Test("a clock that starts up to 2 minutes behind the time served is sure, further behind it isn't")
    func behind() {
        var clock = ClockGuard(greatestServed: at(1000).instant)
        #expect(clock.check(wall: at(998) - .microseconds(1), steady: 0).shared == nil)
        #expect(clock.check(wall: at(998), steady: 1).shared == at(998))
        #expect(clock.greatestServed == at(1000))
    }

    @Test("a clock that jumps is not sure until it jumps back", arguments: [-5, 5] as [Int64])
    func jumps(minutes: Int64) {
        var clock = ClockGuard(greatestServed: 0)
        #expect(clock.check(wall: at(1000), steady: 0).shared != nil)
        for step: Int64 in 1...3 {
            #expect(
                clock.check(wall: at(1000 + minutes + step), steady: .after(.seconds(step * 60))).shared
                    == nil)
        }
        #expect(clock.greatestServed == at(1000))
        #expect(clock.check(wall: at(1004), steady: .after(.seconds(4 * 60))).shared != nil)
    }

    @Test(
        "a clock that isn't sure says why, and is sure again once it was accepted",
        arguments: [-5, 5] as [Int64])
    func accepting(minutes: Int64) {
        var clock = ClockGuard(greatestServed: at(1000).instant)
        #expect(clock.check(wall: at(990), steady: 0) == .behind(by: .seconds(600)))
        clock.accept(wall: at(990))
        #expect(clock.check(wall: at(991), steady: .after(.seconds(60))) == .sure(at(991)))
        #expect(clock.greatestServed == at(991))
        let jumped = at(991 + minutes)
        #expect(
            clock.check(wall: jumped, steady: .after(.seconds(60)))
                == (minutes < 0 ? .behind(by: .seconds(-60 * minutes)) : .jumped(by: .seconds(60 * minutes))))
        clock.accept(wall: jumped)
        #expect(clock.check(wall: jumped, steady: .after(.seconds(60))) == .sure(jumped))
        #expect(clock.greatestServed == jumped)
    }

    @Test("if the clock isn't sure, time goes on from the greatest time served")
    func time() {
        var clock = ClockGuard(greatestServed: at(1000).instant)
        // While the server isn't sure of its clock, time continues from the greatest served time, so that
        // deadlines still pass.
        #expect(clock.time(wall: at(900), steady: 0) == at(1000))
        #expect(clock.time(wall: at(860), steady: .after(.seconds(45))) == at(1000) + .seconds(45))
        #expect(clock.time(wall: at(1010), steady: .after(.seconds(60))) == at(1010))
        for jump: Int64 in [-500, 500] {
            #expect(
                clock.time(wall: at(1010 + jump), steady: .after(.seconds(4 * 60))) == at(1013))
        }
        #expect(clock.time(wall: at(1015), steady: .after(.seconds(6 * 60))) == at(1015))
    }

    @Test("the former time is forgotten once the clock is accepted")
    func acceptedTime() {
        var clock = ClockGuard(greatestServed: at(1000).instant)
        #expect(clock.time(wall: at(900), steady: 0) == at(1000))
        clock.accept(wall: at(900))
        #expect(clock.time(wall: at(890), steady: .after(.seconds(60))) == at(900))
    }

    @Test("clocks at the ends of their range don't trap") func extremes() {
        var clock = ClockGuard(greatestServed: .distantFuture)
        #expect(clock.check(wall: .distantPast, steady: .distantFuture).shared == nil)
        #expect(clock.check(wall: 0, steady: .distantPast).shared == nil)
        #expect(clock.check(wall: .distantFuture, steady: 0).shared == .distantFuture)
        #expect(clock.check(wall: .distantFuture - .microseconds(1), steady: .distantFuture).shared == nil)
        var late = ClockGuard(greatestServed: .distantFuture)
        let served = late.greatestServed
        #expect(late.time(wall: 0, steady: .distantPast) == served)
        #expect(late.time(wall: 0, steady: .distantFuture) >= served)
    }

    @Test("a clock that jumps by exactly 2 minutes is sure, and no further", arguments: [-1, 1] as [Int64])
    func tolerance(sign: Int64) {
        for (more, isSure) in [(0, true), (1, false)] as [(Int64, Bool)] {
            var clock = ClockGuard(greatestServed: 0)
            _ = clock.check(wall: at(1000), steady: 0)
            let jump = Duration.seconds(120 * sign) + .microseconds(more * sign)
            let verdict = clock.check(wall: at(1010) + jump, steady: .after(.seconds(600)))
            #expect(verdict == (isSure ? .sure(at(1010) + jump) : .jumped(by: jump)))
        }
    }
}
