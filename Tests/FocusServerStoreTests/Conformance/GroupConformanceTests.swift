import FocusCore
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@Suite("Any server's store: groups and epochs")
struct GroupConformanceTests {
    private let one = GroupID(high: 0, low: 1)

    @Test("a group has a number that no group had before", arguments: StoreKind.allCases)
    func numbers(_ kind: StoreKind) throws {
        let it = try kind.make()
        let numbers = try (1...3).map { try it.addGroup($0) }
        // Ids are told apart bit by bit.
        for (high, low) in [(1, 0), (.max, .max), (1 << 63, 0), (0, 1 << 63)] as [(UInt64, UInt64)] {
            _ = try it.write { try $0.addGroup(GroupID(high: high, low: low), now: 1) }
        }
        #expect(Set(numbers).count == 3)
        #expect(try it.read { try $0.number(of: one) } == numbers[0])
        #expect(try it.read { try $0.number(of: GroupID(high: 2, low: 0)) } == nil)
        #expect(try it.read { try $0.groupNumbers() }.count == 7)
        try it.write { try $0.setDeleted(group: numbers[2], now: 9) }
        while try it.write({ try $0.deleteRemains() }) {}
        let next = try it.addGroup(3)
        #expect(!numbers.contains(next))
    }

    @Test(
        "a deleted group is gone at once with its devices, and its rows are deleted little by little",
        arguments: StoreKind.allCases)
    func deleting(_ kind: StoreKind) throws {
        let it = try kind.make()
        let (number, other) = (try it.addGroup(1), try it.addGroup(2))
        var (author, second) = (Author(1, group: one), Author(2))
        try it.write { transaction throws in
            for _ in 0..<200 {
                let (segment, head) = try author.segment(1)
                try transaction.addSegment(segment, through: head, group: number)
            }
            for epoch in 0..<100 {
                try transaction.putEpoch(
                    EpochRecord(epoch: EpochID(rawValue: UInt64(epoch)), predecessor: nil, body: []),
                    group: number)
            }
            let (segment, head) = try second.segment(1)
            try transaction.addSegment(segment, through: head, group: other)
            try transaction.putDevice(digest(1), inGroup: number, now: 1)
            try transaction.putDevice(digest(2), inGroup: other, now: 1)
            try transaction.listDevice(digest(3), inGroup: number, isRevoked: false, now: 1)
            try transaction.listDevice(digest(3), inGroup: other, isRevoked: false, now: 1)
            try transaction.addInvite(digest(8), group: number, bundle: [1], expires: instant(99), by: nil)
            try transaction.addBrought(replicas: 1, epochs: 1, by: digest(1), toGroup: number)
            try transaction.setName("ours", ofGroup: one)
        }
        #expect(try it.write { try $0.deleteGroup(one, now: instant(5)) })
        #expect(try !it.write { try $0.deleteGroup(one, now: instant(5)) })
        #expect(try it.read { try $0.orders().revision } == 1)
        try it.read { snapshot throws in
            #expect(try snapshot.number(of: one) == nil)
            #expect(try snapshot.groupNumbers().count == 1)
            #expect(try snapshot.devices().map(\.key) == [digest(2), digest(3)])
            #expect(try snapshot.device(digest(1)) == nil)
            #expect(try snapshot.invite(digest(8)) == nil)
            #expect(try snapshot.brought(by: digest(1), toGroup: number) == (0, 0))
            #expect(try snapshot.summaries().map(\.group.low) == [2])
            #expect(try snapshot.quotas().count == 1)
            #expect(try snapshot.logs().count == 1)
        }
        // The group may be added again before its old rows are deleted. It then has none of the old events.
        let again = try it.addGroup(1)
        var turns = 0
        while try it.write({ try $0.deleteRemains() }) { turns += 1 }
        #expect((3...20).contains(turns), "\(turns) turns")
        #expect(try it.read { try $0.lastSeq(of: author.replica, in: number) } == 0)
        #expect(try it.read { try $0.lastSeq(of: second.replica, in: other) } == 1)
        #expect(try it.read { try $0.number(of: one) } == again)
        #expect(try it.read { try $0.logs()[one]?.size } == GroupSize())
    }

    @Test("quotas and names are the last ones that were set", arguments: StoreKind.allCases)
    func quotas(_ kind: StoreKind) throws {
        let it = try kind.make()
        _ = try it.addGroup(1)
        #expect(try it.read { try $0.quotas() } == [one: GroupQuota()])
        let quota = GroupQuota(events: 1, bytes: nil, devices: 3)
        try it.write { try $0.replaceQuota(of: one, with: quota) }
        try it.write { try $0.setName("ours", ofGroup: one) }
        #expect(try it.read { try $0.orders().revision } == 1)
        #expect(try it.read { try $0.quotas() } == [one: quota])
        #expect(try it.read { try $0.logs()[one]?.quota } == quota)
        let summary = try #require(try it.read { try $0.summaries() }.first)
        #expect(summary.name == "ours" && summary.quota == quota && summary.created == instant(1))
        try it.write { try $0.setName(nil, ofGroup: one) }
        try it.write { try $0.replaceQuota(of: one, with: GroupQuota()) }
        #expect(try it.read { try $0.summaries() }.first?.name == nil)
        #expect(try it.read { try $0.quotas() } == [one: GroupQuota()])
    }

    @Test("a log in memory equals the stored one: heads, sizes, epochs", arguments: StoreKind.allCases)
    func logs(_ kind: StoreKind) throws {
        let it = try kind.make()
        let number = try it.addGroup(1)
        var expected = GroupIndex(number: number, group: one, created: instant(1))
        let records = [
            EpochRecord(epoch: ServerFixture.epoch, predecessor: nil, body: []),
            EpochRecord(
                epoch: EpochID(rawValue: .max), predecessor: ServerFixture.epoch,
                body: [UInt8](repeating: 1, count: 300)),
        ]
        try it.write { transaction throws in
            for record in records {
                try transaction.putEpoch(record, group: number)
                expected.addEpoch(record)
                expected.add(GroupSize(epochBytes: record.body.count))
            }
            for replica: UInt64 in [1, 1 << 63, .max] {
                var author = Author(replica, group: one)
                for count in [1, 3, 200] {
                    let (segment, head) = try author.segment(count)
                    try transaction.addSegment(segment, through: head, group: number)
                    expected.setHead(head, of: author.replica)
                    expected.add(
                        GroupSize(events: count, bytes: StoredSize.row(packed: segment.packed.count)))
                }
            }
        }
        let found = try it.read { try $0.readableLogs() }
        #expect(found.damages.isEmpty)
        #expect(found.logs == [one: expected])
        let summary = try #require(try it.read { try $0.summaries() }.first)
        #expect(summary.events == 3 * 204)
    }

    @Test("a damaged log keeps no other group's from being read", arguments: StoreKind.allCases)
    func damagedNeighbour(_ kind: StoreKind) throws {
        let it = try kind.make()
        let numbers = [try it.addGroup(1), try it.addGroup(2)]
        try it.write { transaction throws in
            for (low, number) in zip([UInt64(1), 2], numbers) {
                var author = Author(low, group: GroupID(high: 0, low: low))
                let (segment, head) = try author.segment(3)
                try transaction.addSegment(segment, through: head, group: number)
            }
        }
        _ = try it.write { try $0.compact(beyond: 0) }
        try it.execute("UPDATE heads SET bytes = 1125899906842624 WHERE group_number = \(numbers[1])")
        try it.reopen()
        #expect(try it.read { try $0.log(of: numbers[0]) }?.group == one)
        #expect(throws: (any Error).self) { try it.read { try $0.log(of: numbers[1]) } }
    }

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
}
