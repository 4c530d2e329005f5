import FocusCore
import FocusSync
import TestTraits
import Testing

@testable import FocusServing

@Suite("How far the network's turns have come")
struct TurnProgressTests {
    private let group = GroupID(high: 8, low: 3)

    @Test("turns are requested once if a connection waits, and again if one waits after they were taken")
    func asking() {
        var turns = NetworkTurns()
        expect(turns.ask(), is: false)
        turns.wait(1, of: group)
        expect(turns.ask(), is: true)
        expect(turns.ask(), is: false)
        turns.begin()
        turns.wait(2, of: nil)
        expect(turns.ask(), is: false)
        expect(turns.areComing, is: true)
        turns.end()
        expect(turns.areComing, is: false)
        expect(turns.ask(), is: true)
    }

    @Test(
        "the cost of welcomes counts in a session's turn; outside it, a cost of more than a turn is owed"
    )
    func welcomes() {
        var turns = NetworkTurns()
        expect(turns.welcomed(1, to: group, work: Limits.turn), is: false)
        expect(turns.isEmpty, is: true)
        turns.begin()
        turns.beginSession()
        expect(turns.welcomed(1, to: group, work: Limits.turn + 1), is: false)
        expect(turns.welcomed(1, to: group, work: 2), is: false)
        #expect(turns.endSession() == Limits.turn + 3)
        #expect(turns.endSession() == 0)
        expect(turns.isEmpty, is: true)
        expect(turns.welcomed(1, to: group, work: Limits.turn + 1), is: true)
        guard case .owed(Limits.turn + 1)? = turns.next() else {
            Issue.record("the work isn't owed")
            return
        }
        expect(turns.isEmpty, is: true)
    }
}
