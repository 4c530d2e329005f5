import FocusCore
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@Suite("Any server's store: events and epochs")
struct LogConformanceTests {
    private let group = ServerFixture.group

    @Test(
        "a record with a body replaces one without, and is found with its length",
        arguments: StoreKind.allCases)
    func epochs(_ kind: StoreKind) throws {
        let it = try kind.make()
        let (number, other) = (try it.addGroup(1), try it.addGroup(2))
        let epoch = EpochID(rawValue: 1 << 63 | 5)
        let record = EpochRecord(epoch: epoch, predecessor: EpochID(rawValue: .max), body: [1, 2, 3])
        try it.write { try $0.putEpoch(EpochRecord(naming: epoch), group: number) }
        #expect(try it.read { try $0.bodyLength(of: epoch, in: number) } == 0)
        #expect(try it.read { try $0.epoch(epoch, in: number) } == EpochRecord(naming: epoch))
        try it.write { try $0.putEpoch(record, group: number) }
        #expect(try it.read { try $0.epoch(epoch, in: number) } == record)
        #expect(try it.read { try $0.bodyLength(of: epoch, in: number) } == 3)
        #expect(try it.read { try $0.epoch(epoch, in: other) } == nil)
        #expect(try it.read { try $0.bodyLength(of: epoch, in: other) } == 0)
    }

    @Test(
        "events are found by any seq, in the rows in which they arrived, only in their own group",
        arguments: StoreKind.allCases)
    func segments(_ kind: StoreKind) throws {
        let it = try kind.make()
        let (number, other) = (try it.addGroup(1), try it.addGroup(2))
        for replica: UInt64 in [1, 1 << 63, .max] {
            var author = Author(replica)
            var rows: [Segment] = []
            for count in [2, 1, 4] {
                let (segment, head) = try author.segment(count)
                try it.write { try $0.addSegment(segment, through: head, group: number) }
                rows.append(segment)
            }
            try it.read { snapshot throws in
                #expect(try snapshot.lastSeq(of: author.replica, in: number) == 7)
                #expect(try snapshot.lastSeq(of: author.replica, in: other) == 0)
                for (seq, row) in [(1, 0), (2, 0), (3, 1), (4, 2), (7, 2)] {
                    let found = try snapshot.segment(of: author.replica, holding: UInt64(seq), in: number)
                    #expect(found == rows[row], "seq \(seq)")
                }
                for seq: UInt64 in [0, 8, .max] {
                    #expect(try snapshot.segment(of: author.replica, holding: seq, in: number) == nil)
                }
                #expect(try snapshot.segment(of: author.replica, holding: 1, in: other) == nil)
                var packed: [[UInt8]] = []
                try snapshot.scanSegments(of: author.replica, after: 1, in: number) {
                    packed.append($0)
                    return true
                }
                #expect(packed == rows.dropFirst().map(\.packed))
                packed = []
                try snapshot.scanSegments(of: author.replica, after: 0, in: number) {
                    packed.append($0)
                    return packed.count < 2
                }
                #expect(packed == rows.prefix(2).map(\.packed))
            }
        }
    }
}
