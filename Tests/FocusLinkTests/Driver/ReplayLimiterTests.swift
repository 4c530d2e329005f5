import FocusCore
import TestSupport
import Testing

@testable import FocusLink

@Suite("When what was merged is replayed")
struct ReplayLimiterTests {
    @Test("not before the laptop has caught up, and then at once") func catchingUp() {
        var pacing = ReplayLimiter()
        pacing.merged()
        #expect(!pacing.isDue(at: 100) && !pacing.mayReplay(at: 100) && pacing.deadline == nil)
        pacing.catchUpEnded()
        #expect(pacing.isDue(at: 100) && pacing.mayReplay(at: 100))
        pacing.replayed(at: 100, taking: .milliseconds(5))
        #expect(!pacing.isDue(at: 100) && pacing.deadline == nil, "nothing is left to be replayed")
        pacing.merged()
        #expect(pacing.isDue(at: 100), "a replay that took little is followed by the next")
    }

    @Test("after one that took long nine tenths of the time belong to others") func resting() throws {
        var pacing = ReplayLimiter()
        pacing.catchUpEnded()
        pacing.merged()
        pacing.replayed(at: 1_000_000, taking: .milliseconds(20))
        #expect(!pacing.mayReplay(at: 1_199_999) && pacing.deadline == nil)
        pacing.merged()
        #expect(!pacing.isDue(at: 1_199_999))
        #expect(pacing.deadline == 1_200_000)
        #expect(pacing.isDue(at: 1_200_000))
    }
}
