import FocusCore
import FocusSync
import ServerSupport
import TestSupport
import Testing

/// Tests of the answers to laptops of a group with an unreadable log, with only the switchboard.
@Suite struct DamagedGroupTests {
    @Test("a laptop whose group's log can't be read is told to come back, and another group's is let in")
    func refused() throws {
        let damaged = GroupID(high: 7, low: 7)
        let board = try SwitchboardFixture(
            [ServerFixture.group: [digest(1)], damaged: [digest(2)]], damaged: [damaged])
        let refusal = try #require(try board.connect(2).refusal)
        #expect(refusal.code == .internal)
        #expect(refusal.retry == .after(5_000))
        #expect(try board.enter(digest(1)).refusal == nil)
    }
}
