import FocusCore
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import Testing

/// Tests of recent segments. A store may keep them apart from the other segments, and compact them later. No
/// reader notices.
@Suite("Any server's store: what came lately")
struct MovingConformanceTests {
    /// One replica's events in a group, as the store should have them.
    private struct Log {
        let group: Int64
        var author: Author
        var events: [SealedEvent] = []
        var head = ReplicaHead.empty
    }

    /// A store under random changes, and the logs that it should have.
    private struct Story {
        let it: StoreUnderTest
        /// Another process's connection, which has read the store before.
        let reader: any ServerStore
        var logs: [Log] = []
        var random: SeededGenerator

        init(_ kind: StoreKind, seed: UInt64) throws {
            it = try kind.make()
            reader = try it.connect()
            random = SeededGenerator(seed: seed)
            for group: UInt64 in [1, 2] {
                let number = try it.addGroup(group)
                try it.write {
                    try $0.putEpoch(EpochRecord(naming: ServerFixture.epoch), group: number)
                }
                for replica: UInt64 in [1, 1 << 63, .max] {
                    logs.append(
                        Log(group: number, author: Author(replica, group: GroupID(high: 0, low: group))))
                }
            }
        }

        /// Adds events to some logs in one transaction. The transaction, or a part of it, may fail.
        mutating func add() throws {
            let before = logs
            let fails = Int.random(in: 0..<6, using: &random) == 0
            do {
                try it.write { transaction in
                    for _ in 0..<Int.random(in: 1...6, using: &random) {
                        let index = Int.random(in: 0..<logs.count, using: &random)
                        let log = logs[index]
                        let isUndone = Int.random(in: 0..<6, using: &random) == 0
                        do {
                            try transaction.withSavepoint {
                                let length = [80, 80, 80, 464, 1_936][Int.random(in: 0..<5, using: &random)]
                                let count = Int.random(in: 1...3, using: &random)
                                let (segment, head) = try logs[index].author.segment(
                                    count, bodyLength: length)
                                try transaction.addSegment(segment, through: head, group: log.group)
                                logs[index].events += segment.events.map(segment.sealed)
                                logs[index].head = head
                                if isUndone { throw Undone() }
                            }
                        } catch is Undone {
                            logs[index] = log
                        }
                    }
                    if fails { throw Undone() }
                }
            } catch is Undone {
                logs = before
            }
        }

        /// Compacts some of the recent segments. The transaction may fail.
        mutating func compact() throws {
            let fails = Int.random(in: 0..<6, using: &random) == 0
            do {
                try it.write { transaction in
                    #expect(
                        try transaction.compact(beyond: Int.random(in: 0...1_000, using: &random)).isEmpty)
                    if fails { throw Undone() }
                }
            } catch is Undone {}
        }

        /// Expects that both connections find exactly the added events.
        func expectAll(_ step: String) throws {
            for store in [it.store, reader] {
                try store.read { snapshot in
                    let found = try snapshot.logs()
                    for log in logs {
                        let name = "\(step), \(log.author.replica)"
                        let replica = log.author.replica
                        #expect(found[log.author.group]?.head(of: replica) == log.head, "\(name)")
                        #expect(
                            try snapshot.lastSeq(of: replica, in: log.group) == UInt64(log.events.count),
                            "\(name)")
                        for event in log.events {
                            let segment = try snapshot.segment(
                                of: replica, holding: event.id.seq, in: log.group)
                            let there = segment.map { segment in segment.events.map(segment.sealed) } ?? []
                            #expect(there.contains(event), "\(name), event \(event.id.seq)")
                        }
                        for seq in [0, log.head.head.seq + 1, .max] {
                            let found = try snapshot.segment(of: replica, holding: seq, in: log.group)
                            #expect(found == nil, "\(name), event \(seq)")
                        }
                        var scans = 0
                        try snapshot.scanSegments(of: replica, after: 0, in: log.group) { _ in
                            scans += 1
                            return false
                        }
                        #expect(scans == min(1, log.events.count), "\(name)")
                        #expect(try events(of: log, in: snapshot) == log.events, "\(name)")
                    }
                    let sizes = try snapshot.summaries().map(\.events)
                    #expect(
                        sizes
                            == [1, 2].map { number in
                                logs.filter { $0.author.group.low == number }.reduce(0) {
                                    $0 + Int64($1.events.count)
                                }
                            }, "\(step)")
                }
            }
        }

        /// Returns all events of a replica, however they are split into rows.
        private func events(of log: Log, in snapshot: any ServerSnapshot) throws -> [SealedEvent] {
            let replica = log.author.replica
            guard let first = try snapshot.segment(of: replica, holding: 1, in: log.group) else { return [] }
            var packed = first.packed
            try snapshot.scanSegments(of: replica, after: 1, in: log.group) {
                packed += $0
                return true
            }
            let all = try Segment(replica: replica, firstSeq: 1, chainBefore: .empty, packed: packed)
            return all.events.map(all.sealed)
        }
    }

    @Test(
        "after any additions, rollbacks and compactions, every connection finds each event once",
        arguments: StoreKind.allCases, 0..<12 as Range<UInt64>)
    func moving(_ kind: StoreKind, seed: UInt64) throws {
        var story = try Story(kind, seed: seed)
        for step in 0..<40 {
            switch Int.random(in: 0..<8, using: &story.random) {
            case 0...4: try story.add()
            case 5...6: try story.compact()
            default: try story.it.reopen()
            }
            // The reader looks only sometimes, so it has more to catch up with.
            if Int.random(in: 0..<3, using: &story.random) == 0 {
                try story.expectAll("seed \(seed), step \(step)")
            }
        }
        try story.expectAll("seed \(seed), at the end")
        let check = try story.it.store.check()
        #expect(check.problems == [] && check.groups == 2, "seed \(seed)")
        #expect(check.events == story.logs.reduce(0) { $0 + Int64($1.events.count) }, "seed \(seed)")
    }
}
