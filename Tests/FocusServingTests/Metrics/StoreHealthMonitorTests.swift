import FocusCore
import FocusWriter
import Testing

@testable import FocusServing

@Suite("What is known of the store's file") struct StoreHealthMonitorTests {
    private let before = StoreHealth.file(StoreFile(isThere: true, bytes: 1, free: 10))
    private let after = StoreHealth.file(StoreFile(isThere: true, bytes: 2, free: 9))

    private func instant(_ seconds: Int64) -> SteadyInstant { .zero + .seconds(seconds) }

    @Test("is the result of the last look, and only one look runs at a time") func looks() {
        let sight = StoreHealthMonitor(before)
        #expect(sight.begin(at: instant(1)))
        #expect(!sight.begin(at: instant(2)))
        #expect(sight.look == before && sight.roundTrip == nil)
        sight.end(after, after: .milliseconds(3))
        #expect(sight.look == after && sight.roundTrip == .milliseconds(3))
        #expect(sight.begin(at: instant(3)))
    }

    @Test("is silent since the start of the look that hasn't returned") func silence() {
        let sight = StoreHealthMonitor(before)
        #expect(sight.silence(at: instant(9)) == .zero)
        _ = sight.begin(at: instant(10))
        _ = sight.begin(at: instant(20))
        #expect(sight.silence(at: instant(27)) == .seconds(17))
        sight.end(after, after: .seconds(17))
        #expect(sight.silence(at: instant(28)) == .zero)
    }

    @Test("has no round trip if nothing answered") func away() {
        let sight = StoreHealthMonitor(.database(answers: true))
        sight.end(.database(answers: false), after: .seconds(5))
        #expect(sight.look == .database(answers: false) && sight.roundTrip == nil)
    }
}
