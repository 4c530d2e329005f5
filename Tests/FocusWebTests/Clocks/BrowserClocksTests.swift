import FocusCore
import FocusDevice
import Testing

@testable import FocusWeb

@Suite("A browser's clocks")
struct BrowserClocksTests {
    private static func makeClocks() -> BrowserClocks {
        var boots = 0
        return BrowserClocks(time(0, 0)) {
            boots += 1
            return "boot \(boots)"
        }
    }

    private static func time(_ wall: Int64, _ steady: Int64) -> BrowserTime {
        BrowserTime(wall: .zero + .milliseconds(wall), steady: .zero + .milliseconds(steady))
    }

    @Test("a boot goes on while both clocks advance alike")
    func advances() {
        let clocks = Self.makeClocks()
        #expect(!clocks.advance(to: Self.time(60_000, 58_000)))
        #expect(!clocks.advance(to: Self.time(60_000, 60_000)))
        #expect(clocks.machine.boot() == "boot 1")
        #expect(clocks.machine.wall() == .zero + .seconds(60))
        #expect(clocks.machine.sinceBoot() == .zero + .seconds(60))
    }

    @Test(
        "a boot ends if one clock stood still, was set, or went back",
        arguments: [(3_000, 0), (-2_001, 0), (0, 2_001), (0, -1)] as [(Int64, Int64)])
    func parts(_ wall: Int64, _ steady: Int64) {
        let clocks = Self.makeClocks()
        #expect(clocks.advance(to: Self.time(wall, steady)))
        #expect(clocks.machine.boot() == "boot 2")
        #expect(clocks.machine.sinceBoot() >= .zero)
    }

    @Test("numbers that are no time are zero")
    func numbers() {
        for number in [Double.nan, .infinity, -.infinity, 1e300] {
            #expect(BrowserTime(wall: number, steady: number) == Self.time(0, 0))
        }
        #expect(BrowserTime(wall: 1.9, steady: 2.5).wall == .zero + .milliseconds(1))
        #expect(BrowserTime(wall: 1.9, steady: 2.5).steady == SteadyInstant(microseconds: 2_500))
    }

    @Test("alarms go off in order, also those that alarms set, but not cancelled ones")
    func alarms() {
        let clocks = Self.makeClocks()
        let scheduler = DeadlineScheduler(clocks)
        var heard: [String] = []
        scheduler.schedule(after: .seconds(2)) { heard.append("second") }
        scheduler.schedule(after: .seconds(1)) {
            heard.append("first")
            scheduler.schedule(after: .zero) { heard.append("at once") }
        }
        let cancelled = scheduler.schedule(after: .seconds(1)) { heard.append("cancelled") }
        cancelled.cancel()
        #expect(scheduler.untilNext == .seconds(1))
        scheduler.runDue()
        #expect(heard.isEmpty)
        _ = clocks.advance(to: Self.time(1_000, 1_000))
        scheduler.runDue()
        #expect(heard == ["first", "at once"])
        #expect(scheduler.untilNext == .seconds(1))
        scheduler.cancelAll()
        #expect(scheduler.untilNext == nil)
    }
}
