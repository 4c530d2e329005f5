import FocusCore
import TestSupport
import Testing

@testable import FocusServing

@Suite struct LogThrottleTests {
    @Test("a repeated event is logged at once, and then now and then") func often() {
        var seldom = LogThrottle(every: .seconds(60))
        let written = stride(from: Int64(1_000_000), to: 200_000_000, by: 100_000)
            .filter { seldom.isDue(at: SteadyInstant(microseconds: $0)) }
        #expect(written == [1_000_000, 61_000_000, 121_000_000, 181_000_000])
    }
}
