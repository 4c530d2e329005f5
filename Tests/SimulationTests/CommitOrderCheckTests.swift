import FocusCore
import FocusSync
import TestSupport
import TestTraits
import Testing

@testable import Simulation

private let group = GroupID(high: 0, low: 1)
private let replica = ReplicaID(rawValue: 7)

@Suite("Who hears of a commit first", .ends(within: .seconds(60)))
struct CommitOrderCheckTests {
    private func events(_ seqs: ClosedRange<UInt64>) -> SeenSegment { SeenSegment(replica, seqs) }

    private func ack(_ seq: UInt64) -> Ack {
        Ack(replica: replica, head: Head(seq: seq, chain: Chain(high: seq, low: 1)), stop: nil)
    }

    @Test("a push is too early as long as no uploader of its events has an answer")
    func order() {
        var check = CommitOrderCheck()
        check.uploads(events(1...3), of: group, on: 1)
        check.uploads(events(4...5), of: group, on: 1)
        #expect(check.early(events(1...5), of: group)?.seq == 1)
        check.acknowledges(ack(3), on: 1)
        #expect(check.early(events(1...3), of: group) == nil)
        #expect(check.early(events(1...5), of: group)?.seq == 4)
        check.acknowledges(ack(5), on: 1)
        #expect(check.early(events(1...5), of: group) == nil)
    }

    @Test("of two uploaders of the same events, one must have an answer before the push") func several() {
        var check = CommitOrderCheck()
        for connection in [1, 2] as [UInt64] { check.uploads(events(1...3), of: group, on: connection) }
        check.acknowledges(ack(3), on: 2)
        #expect(check.early(events(1...3), of: group) == nil)
    }

    @Test("an uploader that has gone needs no answer, and other uploaders still do")
    func gone() {
        var check = CommitOrderCheck()
        check.uploads(events(1...3), of: group, on: 1)
        check.uploads(events(4...5), of: group, on: 2)
        check.ends(1)
        #expect(check.early(events(1...3), of: group) == nil)
        #expect(check.early(events(1...5), of: group)?.seq == 4)
    }

    @Test("events without an uploader here, or of another group's replica, need no answer first")
    func others() {
        var check = CommitOrderCheck()
        check.uploads(events(1...3), of: group, on: 1)
        #expect(check.early(events(4...9), of: group) == nil)
        #expect(check.early(events(1...3), of: GroupID(high: 0, low: 2)) == nil)
        #expect(check.early(SeenSegment(ReplicaID(rawValue: 8), 1...3), of: group) == nil)
    }

    @Test("an upload's events are read from its first bytes, and a body that is too short has none")
    func reading() throws {
        var author = HostileAuthor(replica, group)
        let written = author.write(12, at: 1_000_000, EpochID(rawValue: 1))
        let segment = try #require(written)
        let frame = Message.upload(segment).encoded()
        var stream = SeenStream()
        let messages = stream.read(frame)
        let seen = try #require(messages.first?.segment)
        #expect(seen.replica == replica)
        #expect(seen.seqs == 1...12)
        #expect(SeenSegment([UInt8](repeating: 1, count: 35)[...]) == nil)
    }
}
