import FocusCore
import Testing

@testable import FocusStore

@Suite("The replicas that a connection has written")
struct WrittenReplicasTests {
    @Test("what was written between two looks is known, for as long as it is kept")
    func between() {
        // At least the last 1,024 replicas are kept, so the first of 5,000 are no longer known.
        var written = WrittenReplicas()
        for number in 0..<5_000 {
            let before = written.count
            written.append(ReplicaID(rawValue: UInt64(number)))
            #expect(written.between(before, written.count) == [ReplicaID(rawValue: UInt64(number))])
            #expect(written.between(written.count, written.count) == [])
            let thousand = written.between(max(0, written.count - 1_000), written.count)
            #expect(thousand?.count == min(1_000, number + 1))
        }
        #expect(written.between(0, written.count) == nil)
    }

    @Test("after all rows may have changed nothing from before is known")
    func forgotten() {
        var written = WrittenReplicas()
        written.append(ReplicaID(rawValue: 1))
        let mark = written.count
        // Any row may have changed, so the replicas before this can't be told.
        written.forget()
        #expect(written.between(mark, written.count) == nil)
        let next = written.count
        written.append(ReplicaID(rawValue: 2))
        #expect(written.between(next, written.count) == [ReplicaID(rawValue: 2)])
    }
}
