import FocusCore
import Testing

@testable import FocusSync

@Suite("What a server has still to send")
struct OutgoingEventsTests {
    @Test("what is wanted anew comes whole, in more than one read")
    func wanted() throws {
        let replica = ReplicaID(rawValue: 7)
        let events = makeEvents(replica, 10)
        var outgoing = OutgoingEvents()
        let vector = VersionVector([replica: Head(seq: 10, chain: chains(of: events)[10])])
        outgoing.record(EncodedVector(vector))
        // The client says that it has all events, but then it wants them all again.
        outgoing.start(vector)
        outgoing.restart(replica, after: 0)
        _ = outgoing.nextRead()
        // The read finds only the first three, so another one begins after them.
        let part = try segment(events).prefix(through: 3)
        let isSent = outgoing.loaded(replica, part, head: 10)
        #expect(isSent)
        #expect(outgoing.nextRead()?.from == 4)
    }
}
