import FocusCore
import FocusSync
import TestSupport
import Testing

@Suite("The estimate of shared time")
struct ClockEstimateTests {
    /// Returns a reading with these durations in microseconds.
    private func reading(_ offset: Int64, _ roundTrip: Int64) -> ClockReading {
        ClockReading(offset: .microseconds(offset), roundTrip: .microseconds(roundTrip))
    }

    @Test("a reading is the midpoint of the round trip, less the time the server took")
    func midpoint() {
        let answer = ClockAnswer(asked: 1_000, served: .init(received: 900_500, sent: 900_600))
        #expect(ClockReading(answer, arrived: 1_300) == reading(899_400, 200))
    }

    @Test("instants that can't be give no reading")
    func impossible() {
        func reading(
            _ asked: SteadyInstant, _ received: SharedReading, _ sent: SharedReading, _ arrived: SteadyInstant
        ) -> ClockReading? {
            ClockReading(
                ClockAnswer(asked: asked, served: .init(received: received, sent: sent)), arrived: arrived)
        }
        #expect(reading(1_000, 500, 400, 2_000) == nil)
        #expect(reading(1_000, 500, 600, 900) == nil)
        #expect(reading(1_000, 500, 600, 1_050) == nil)
        #expect(reading(SteadyInstant(microseconds: -(1 << 62)), 0, 1, .distantFuture) == nil)
        #expect(ClockReading(ClockAnswer(asked: 0, served: nil), arrived: 1) == nil)
    }

    private func expect(
        _ clock: inout ClockEstimate, _ reading: ClockReading, at now: SteadyInstant = 0,
        gives verdict: ClockEstimate.Verdict,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let given = clock.record(reading, at: now)
        #expect(given == verdict, sourceLocation: sourceLocation)
    }

    @Test("the offset is that of the shortest round trip among the last 8 readings")
    func best() {
        var clock = ClockEstimate(offset: .zero)
        expect(&clock, reading(500, 1_000), gives: .follow(reading(500, 1_000)))
        expect(&clock, reading(600, 100), gives: .follow(reading(600, 100)))
        for _ in 0..<7 {
            expect(&clock, reading(700, 900), gives: .keep)
        }
        #expect(clock.offset == .microseconds(600))
        // Only eight readings are kept, so the best one drops out.
        expect(&clock, reading(650, 800), gives: .follow(reading(650, 800)))
    }

    @Test("a reading that contradicts older ones replaces them")
    func contradiction() {
        var clock = ClockEstimate(offset: .zero)
        _ = clock.record(reading(500, 10), at: 0)
        expect(&clock, reading(300_500, 100), gives: .follow(reading(300_500, 100)))
    }

    @Test(
        "an answer that was held up doesn't replace better readings because the clock has drifted meanwhile")
    func heldUp() {
        var clock = ClockEstimate(offset: .zero)
        _ = clock.record(reading(50_000, 1_000), at: 0)
        // The question waited for 4 s, so the reading is wrong by 2 s. Besides, the clock is 500 ppm fast.
        expect(&clock, reading(2_060_000, 4_001_000), gives: .keep)
        #expect(clock.offset == .microseconds(50_000))
    }

    @Test("the first reading is followed however far it is, a jump after it isn't")
    func jump() {
        var clock = ClockEstimate(offset: .zero)
        let first = reading(10_000_000_000, 10)
        expect(&clock, first, gives: .follow(first))
        expect(&clock, reading(10_120_000_001, 10), gives: .jump(by: .microseconds(120_000_001)))
        #expect(clock.offset == first.offset)
        clock.reconnect()
        let near = reading(10_120_000_000, 10)
        expect(&clock, near, gives: .follow(near))
    }

    /// Returns the steady instant `count` seconds after the first reading.
    private func seconds(_ count: Int64) -> SteadyInstant { 7_000_000 + .seconds(count) }

    @Test(
        "a server that goes on in small steps leads a clock 2 minutes and what clocks drift away, and no further"
    )
    func walked() throws {
        var clock = ClockEstimate(offset: .zero)
        _ = clock.record(reading(5_000, 10), at: seconds(0))
        var jumps = 0
        for round in 1...1_000 as ClosedRange<Int64> {
            // On each connection, the server moves the clock by nearly as much as it follows at once.
            clock.reconnect()
            let reading = ClockReading(offset: clock.offset + .seconds(119), roundTrip: .microseconds(10))
            if case .jump = clock.record(reading, at: seconds(20 * round)) { jumps += 1 }
        }
        #expect(jumps > 900)
        #expect(clock.offset - .milliseconds(5) <= .seconds(120 + 20))
        #expect(clock.first == FirstReading(offset: .milliseconds(5), instant: seconds(0)))
    }

    @Test("a jump is followed neither where it ends within what the first reading allows") func jumpAcross() {
        var clock = ClockEstimate(offset: .zero)
        for offset in [0, -110_000_000] as [Int64] {
            let near = reading(offset, 10)
            clock.reconnect()
            expect(&clock, near, at: seconds(0), gives: .follow(near))
        }
        clock.reconnect()
        let across = reading(110_000_000, 10)
        expect(&clock, across, at: seconds(20), gives: .jump(by: .seconds(220)))
        #expect(clock.offset == .seconds(-110))
    }

    @Test(
        "clocks that drift by 500 parts in a million each are followed for ever, either way",
        arguments: [1, -1])
    func drifting(sign: Int64) {
        var clock = ClockEstimate(offset: .zero)
        for day in 0...365 as ClosedRange<Int64> {
            clock.reconnect()
            let drifted = reading(sign * day * 86_400_000, 10)
            expect(&clock, drifted, at: seconds(day * 86_400), gives: .follow(drifted))
        }
    }

    @Test("a jump to the device's own wall clock is followed, and the first reading makes way for it")
    func agreesWithWall() {
        let day = Duration.seconds(86_400)
        var clock = ClockEstimate(offset: day, first: FirstReading(offset: day, instant: seconds(0)))
        let right = reading(100_000_000, 10)
        expect(&clock, right, at: seconds(20), gives: .jump(by: .seconds(100) - day))
        clock.reconnect()
        clock.wall = .zero
        expect(&clock, right, at: seconds(40), gives: .follow(right))
        #expect(clock.agreesWithWall)
        #expect(clock.first == FirstReading(offset: .seconds(100), instant: seconds(40)))
        clock.reconnect()
        let elsewhere = reading(500_000_000, 10)
        expect(&clock, elsewhere, at: seconds(60), gives: .jump(by: .seconds(400)))
    }

    @Test("what makes no sense is followed nowhere, and ends nothing")
    func senseless() {
        let farthest = Duration.microseconds(Int64.max)
        for first in [
            FirstReading(offset: .zero - farthest, instant: .distantFuture),
            FirstReading(offset: farthest, instant: .distantPast),
        ] {
            var clock = ClockEstimate(offset: .zero, first: first)
            for now in [SteadyInstant.distantPast, .zero, .distantFuture] {
                expect(
                    &clock, ClockReading(offset: .microseconds(1), roundTrip: .zero), at: now,
                    gives: .jump(by: .microseconds(1)))
            }
        }
    }

    @Test("waits double up to a minute, with full jitter")
    func backoff() {
        var random = SeededGenerator(seed: 1)
        var backoff = Backoff()
        for ceiling: Duration in [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000] {
            var greatest: Duration = 0
            let before = backoff
            for _ in 0..<200 {
                var again = before
                greatest = max(greatest, again.next(using: &random))
                backoff = again
            }
            #expect(greatest <= ceiling && greatest > ceiling / 10 * 9)
        }
        backoff.reset()
        #expect(backoff == Backoff())
    }

    @Test("who was asked to wait waits so long at least, and a random time on top, up to half as long again")
    func patience() {
        var random = SeededGenerator(seed: 2)
        for (patience, most): (Duration, Duration) in [(200, 700), (1_000, 1_500), (30_000, 45_000)] {
            let waits = (0..<400).map { _ in
                var backoff = Backoff()
                return backoff.next(after: patience, using: &random)
            }
            #expect(waits.allSatisfy { (patience...most).contains($0) })
            // The waits are spread over the whole range: each tenth of it has one.
            let tenths = Set(
                waits.map { (($0 - patience) * 10).inMilliseconds / (most - patience + 1).inMilliseconds })
            #expect(tenths.count == 10)
        }
    }
}
