import FocusCore
import FocusSync
import TestSupport
import TestTraits
import Testing

@testable import FocusLink

@Suite("Of whose revocation a server is told")
struct RevocationReportsTests {
    private let keys = [1, 2, 3].map { Digest(InlineArray(repeating: $0)) }

    private func refusal(after wait: Duration?) -> Refusal {
        Refusal(.rate, "later", retry: wait.map { .after($0) } ?? .never)
    }

    @Test("whom it can't keep out for now it is told of again, together, in order")
    func again() {
        var told = RevocationReports()
        told.tell(of: Set(keys))
        #expect(told.deadline == nil)
        expect(told.endWait(at: .distantFuture), is: false)
        expect(told.refused(.revoke(keys[2]), refusal(after: 5_000), at: 1_000), is: false)
        expect(told.refused(.revoke(keys[0]), refusal(after: 9_000), at: 2_000), is: false)
        #expect(told.deadline == 5_001_000, "the first wait counts")
        expect(told.endWait(at: 5_000_999), is: false)
        expect(told.endWait(at: 5_001_000), is: true)
        #expect(told.deadline == nil)
        expect(told.devicesToRepeat(except: [keys[1]]), is: [keys[0], keys[2]])
        expect(
            told.refused(.revoke(keys[0]), refusal(after: 5_000), at: 6_000_000), is: true,
            "that it was put off is known")
        expect(told.devicesToRepeat(except: [keys[2]]), is: [keys[0]])
        expect(told.devicesToRepeat(except: []), is: [keys[0]], "who is kept out by now is forgotten")
    }

    @Test("a refusal for good, or of what it wasn't told, is waited for by nobody") func forGood() {
        var told = RevocationReports()
        told.tell(of: [keys[0]])
        expect(told.refused(.revoke(keys[0]), refusal(after: nil), at: 0), is: false)
        expect(told.refused(.revoke(keys[1]), refusal(after: 5_000), at: 0), is: false)
        let roster = GroupRequest.roster([RosterEntry(device: keys[0], isRevoked: true)])
        expect(told.refused(roster, refusal(after: 5_000), at: 0), is: false)
        #expect(told.deadline == nil)
        expect(told.devicesToRepeat(except: []), is: [])
    }

    @Test(
        "it is told again after a second at least and 15 minutes at most, and after a minute where it says no time",
        arguments: [
            (1, .seconds(1)), (0, .seconds(60)), (90_000, .seconds(90)),
            (.milliseconds(UInt32.max), .seconds(900)),
        ]
            as [(Duration, Duration)])
    func pauses(asked: Duration, pause: Duration) {
        var told = RevocationReports()
        told.tell(of: [keys[0]])
        _ = told.refused(.revoke(keys[0]), refusal(after: asked), at: 40)
        #expect(told.deadline == .after(pause + .microseconds(40)))
    }
}
