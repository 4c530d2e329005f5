import FocusCore
import FocusWriter
import Testing

@testable import FocusServing

@Suite("What is known of the store's file") struct StoreSightTests {
    private let before = StoreLook.file(StoreFile(isThere: true, bytes: 1, free: 10))
    private let after = StoreLook.file(StoreFile(isThere: true, bytes: 2, free: 9))

    private func instant(_ seconds: Int64) -> SteadyInstant { .zero + .seconds(seconds) }

    @Test("is what the last look saw, and one look at a time is under way") func looks() {
        let sight = StoreSight(before)
        #expect(sight.begin(at: instant(1)))
        #expect(!sight.begin(at: instant(2)))
        #expect(sight.look == before)
        sight.end(after)
        #expect(sight.look == after)
        #expect(sight.begin(at: instant(3)))
    }

    @Test("is silent since the look began that hasn't come back") func silence() {
        let sight = StoreSight(before)
        #expect(sight.silence(at: instant(9)) == .zero)
        _ = sight.begin(at: instant(10))
        _ = sight.begin(at: instant(20))
        #expect(sight.silence(at: instant(27)) == .seconds(17))
        sight.end(after)
        #expect(sight.silence(at: instant(28)) == .zero)
    }
}
