import FocusCore
import FocusSeal
import FocusServerCore
import FocusServerStore
import FocusSync
import Foundation
import PostgreSQLKit
import ServerSupport
import Synchronization
import TestSupport
import TestTraits
import Testing

/// Tests of several servers' writers on one store. Each writer has a memory of its own.
@Suite("Writers that share a store", .ends(within: .seconds(600)))
struct SharedStoreTests {
    /// One replica's events, divided into uploads.
    private struct Log: Sendable {
        let replica: ReplicaID
        var uploads: [Segment] = []
        /// The chain after each upload, by the seq of its last event.
        var chains: [UInt64: Chain] = [0: .empty]
    }

    private let address: PostgreSQLAddress
    private let logs: [Log]

    init() throws {
        address = try ServerFixture.makeDatabase()
        logs = try (1...5 as ClosedRange<UInt64>).map { replica in
            var author = Author(replica)
            var log = Log(replica: author.replica)
            for count in 1...30 {
                log.uploads.append(try author.write(1 + count % 3))
                log.chains[log.uploads.last?.lastSeq ?? 0] = author.chain
            }
            return log
        }
    }

    /// Opens a connection to the store, with a server's number if one is given.
    private func open(as server: Int64? = nil) throws -> any ServerStore {
        try PostgreSQLServerStore(at: address, access: .existing, server: server)
    }

    private func writer(on store: (any ServerStore)? = nil) throws -> LogWriter {
        var limits = ServerLimits()
        (limits.deviceBurst, limits.groupBurst) = (1_000_000, 1_000_000)
        return try LogWriter(on: store ?? open(), limits, follows: true)
    }

    private func merge(_ segment: Segment) -> WriterRequest {
        .merge(segment, ServerFixture.group, by: ServerFixture.member, from: ConnectionID(1))
    }

    /// One of several servers that work at once.
    private final class Member {
        let writer: LogWriter
        let news: NewsReader
        /// The last seq of each replica that was pushed to its laptops.
        var pushed: [ReplicaID: UInt64] = [:]

        init(_ writer: LogWriter, _ news: NewsReader) {
            (self.writer, self.news) = (writer, news)
        }

        /// Handles the requests, and pushes the results to its laptops.
        func batches(_ requests: [WriterRequest]) -> [CommitOutcome] {
            let outcomes = writer.batches(requests)
            for push in outcomes.pushes {
                pushed[push.replica] = max(pushed[push.replica] ?? 0, push.lastSeq)
            }
            return outcomes
        }

        /// Reads the changes that the other servers made.
        func catchUp() throws -> [CommitOutcome] {
            batches([.shared(.news(try news.read(at: .zero).news, for: nil))])
        }
    }

    /// Runs `body` on `count` servers at the same time, and returns the results. All servers begin with the
    /// same memory. `body` may call `meet` once.
    ///
    /// - Parameter seed: The seed that decides about their commits, or nil to keep all commits and answers.
    private func atOnce<Value: Sendable>(
        _ count: Int, losingBy seed: UInt64? = nil,
        _ body: @escaping @Sendable (_ index: UInt64, Member, _ meet: () -> Void) throws -> Value
    ) throws -> [Value] {
        try Meeting.run(count) { place, meet in
            let index = UInt64(place)
            let news = try NewsReader(at: address, place: "\(index)", now: .zero)
            let store = try open(as: news.server)
            let member = try Member(
                writer(on: seed.map { LossyStore(store, seed: $0 << 8 | index) } ?? store), news)
            // No server begins before all have loaded the same memory.
            meet()
            return try body(index, member, meet)
        }
    }

    /// Uploads all replicas' events in random order, until this server has acknowledged all of them.
    ///
    /// - Returns: The number of wrong acknowledgements: with a chain of no event, or beyond the stored
    ///   events.
    private func upload(_ member: Member, seed: UInt64) throws -> Int {
        var random = SeededGenerator(seed: seed)
        let reader = try open()
        var acknowledged: [ReplicaID: UInt64] = [:]
        var wrong = 0
        func left(_ log: Log) -> [Segment] {
            log.uploads.filter { $0.lastSeq > acknowledged[log.replica] ?? 0 }
        }
        for _ in 0..<2_000 {
            let waiting = logs.map(left).filter { !$0.isEmpty }
            guard !waiting.isEmpty else { return wrong }
            let asked = (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in
                waiting.randomElement(using: &random)
            }
            let requests = asked.flatMap { $0.prefix(Int.random(in: 1...3, using: &random)) }.map(merge)
            // Sometimes the server hears of the others' changes.
            if Int.random(in: 0..<3, using: &random) == 0 { _ = try member.catchUp() }
            for outcome in member.batches(requests).answers {
                guard case .merged(let replica, let head, _, _) = outcome else { continue }
                let log = logs.first { $0.replica == replica }
                let stored = try reader.read { snapshot in
                    try snapshot.lastSeq(of: replica, in: snapshot.number(of: ServerFixture.group) ?? 0)
                }
                if stored < head.seq || log?.chains[head.seq] != head.chain { wrong += 1 }
                acknowledged[replica] = max(acknowledged[replica] ?? 0, head.seq)
            }
        }
        throw Stuck()
    }

    /// The error of a test in which a server accepts no more uploads.
    private struct Stuck: Error {}

    @Test(
        "whatever many servers take of the same replicas at once, no event is missing, doubled or acknowledged in vain",
        arguments: 0..<3 as Range<UInt64>, [false, true])
    func manyAtOnce(seed: UInt64, isLossy: Bool) throws {
        let wrong = try atOnce(4, losingBy: isLossy ? seed : nil) { index, member, meet in
            let wrong = try upload(member, seed: seed << 8 | index)
            meet()
            // Once each server has read all news, it knows all stored events and has pushed them to its
            // laptops.
            while try !member.catchUp().contains(where: { $0.tally.problem == nil }) {}
            let isEqual = try open().read { try $0.logs() } == member.writer.groups
            let isTold = logs.allSatisfy { member.pushed[$0.replica] == $0.uploads.last?.lastSeq }
            return wrong + (isEqual ? 0 : 1) + (isTold ? 0 : 1)
        }.reduce(0, +)
        #expect(wrong == 0, "seed \(seed)")
        #expect(try open().check().problems == [], "seed \(seed)")
        try open().read { snapshot in
            let found = try #require(try snapshot.logs()[ServerFixture.group])
            #expect(found.heads.count == logs.count, "seed \(seed)")
            for log in logs {
                var packed: [UInt8] = []
                let first = try snapshot.segment(of: log.replica, holding: 1, in: found.number)
                packed += first?.packed ?? []
                try snapshot.scanSegments(of: log.replica, after: 1, in: found.number) {
                    packed += $0
                    return true
                }
                #expect(packed == log.uploads.flatMap(\.packed), "seed \(seed), \(log.replica)")
                let last = log.uploads.last?.lastSeq ?? 0
                #expect(
                    found.head(of: log.replica).head == Head(seq: last, chain: log.chains[last] ?? .empty),
                    "seed \(seed), \(log.replica)")
            }
        }
    }

    @Test("a group that is deleted in the middle of a batch is forgotten, and nothing of it is accepted")
    func deletedMeanwhile() throws {
        let (one, other) = (try writer(), try writer())
        let log = logs[0]
        _ = one.batches(log.uploads[0..<2].map(merge))
        // This has the same effect as a batch that checked the groups before the operator's commit.
        try open().write { transaction in
            try transaction.setDeleted(group: #require(other.groups[ServerFixture.group]).number, now: 1)
        }
        let outcomes = other.batches([merge(log.uploads[0])])
        #expect(other.groups.isEmpty)
        #expect(outcomes.pushes.isEmpty && outcomes.acks.allSatisfy { $0.stop == nil })
    }

    @Test("a server with an older memory accepts an upload, and pushes what others have stored")
    func older() throws {
        let (one, other) = (try writer(), try writer())
        let log = logs[0]
        _ = one.batches(log.uploads[0..<2].map(merge))
        let outcomes = other.batches([merge(log.uploads[0]), merge(log.uploads[1]), merge(log.uploads[2])])
        #expect(outcomes.acks.last?.seq == log.uploads[2].lastSeq)
        #expect(outcomes.acks.allSatisfy { $0.stop == nil })
        #expect(outcomes.pushes.map(\.lastSeq).max() == log.uploads[2].lastSeq)
        let tallies = outcomes.map(\.tally)
        #expect(tallies.allSatisfy { $0.problem == nil && $0.failures == 0 })
        #expect(tallies.reduce(0) { $0 + $1.stale } > 0)
    }

    @Test("a commit with a lost answer is found even without further requests")
    func answerLostLast() throws {
        var fates = [1]
        let writer = try writer(on: try LossyStore(open()) { fates.popLast() ?? 5 })
        let upload = logs[0].uploads[0]
        #expect(writer.batches([merge(upload)]).pushes.isEmpty)
        #expect(writer.isIdle && writer.lacksNews)
        // The writer's thread makes this request a second later.
        let found = writer.batches([.shared(.news(StoreNews(), for: nil))])
        #expect(found.pushes.map(\.lastSeq) == [upload.lastSeq])
        #expect(!writer.lacksNews)
    }

    @Test("a group brought in a commit with a lost answer is there with the next one, with its device")
    func broughtUnawares() throws {
        var fates = [1]
        let writer = try writer(on: try LossyStore(open()) { fates.popLast() ?? 5 })
        let (device, brought, epoch) = (try digest(1), GroupID(high: 7, low: 7), EpochID(rawValue: 8))
        let token: [UInt8] = [1, 2, 3]
        try open().write { transaction in
            try transaction.addInvite(
                Digest(of: token.span.bytes), group: nil, bundle: nil,
                expires: ServerFixture.now + .seconds(600), by: nil)
        }
        let bring = Enrol(token: token, kind: .bring(brought, epoch))
        let refused = writer.batches([.enrol(bring, device: device, from: 9)])
        #expect(refused.answers.compactMap(\.enrolled).isEmpty)
        #expect(writer.groups[brought] == nil)
        let found = writer.batches([merge(logs[0].uploads[0])])
        #expect(
            found.answers.contains {
                if case .groupAdded(let log) = $0 { log.group == brought } else { false }
            })
        #expect(
            found.answers.contains {
                if case .reloaded(let devices, _) = $0 {
                    devices.contains { $0.key == device }
                } else {
                    false
                }
            })
        #expect(writer.groups[brought]?.epochs == [epoch: nil])
        // A device that asks again is let in, because it may not have got the first answer.
        let again = writer.batches([.enrol(bring, device: device, from: 9)])
        #expect(again.answers.compactMap(\.enrolled) == [Enrolled(group: brought, bundle: [])])
    }

    /// Returns a request for an epoch that follows the group's first one.
    private func successor(_ number: UInt64) -> WriterRequest {
        let record = EpochRecord(
            epoch: EpochID(rawValue: number), predecessor: ServerFixture.epoch, body: [UInt8(number)])
        return .ask(.successor(record, discounting: []), ServerFixture.group, from: number)
    }

    /// Returns the epochs that a server named as existing, when it got a second proposal.
    private func existing(_ outcomes: [CommitOutcome]) -> [[EpochID]] {
        outcomes.answers.compactMap {
            if case .answered(_, .epochsExist(let epochs), _) = $0 { epochs } else { nil }
        }
    }

    /// Whether a server has kept its own successor.
    private func isKept(_ number: UInt64, _ outcomes: [CommitOutcome]) -> Bool {
        outcomes.answers.contains { $0.addedEpoch?.epoch.rawValue == number }
    }

    @Test(
        "of two servers with a successor of one epoch each, one keeps it, and the other names the existing one"
    )
    func successors() throws {
        let (one, other) = (try writer(), try writer())
        #expect(isKept(11, one.batches([successor(11)])))
        let outcomes = other.batches([successor(12)])
        #expect(!isKept(12, outcomes))
        #expect(existing(outcomes) == [[EpochID(rawValue: 11)]])
        #expect(isKept(11, outcomes))
        #expect(other.groups == one.groups)
    }

    @Test("two servers that are given different records of one epoch both announce the kept one")
    func records() throws {
        let (one, other) = (try writer(), try writer())
        func told(_ writer: LogWriter, _ body: [UInt8]) -> [[UInt8]] {
            let record = EpochRecord(
                epoch: EpochID(rawValue: 11), predecessor: ServerFixture.epoch, body: body)
            return writer.batches([.ask(.epoch(record), ServerFixture.group, from: 1)])
                .answers.compactMap(\.addedEpoch?.body)
        }
        #expect(told(one, [1]) == [[1]])
        #expect(told(other, [2, 3]) == [[1]])
        #expect(other.groups == one.groups)
    }

    @Test("of many servers with proposals of one epoch's successor at once, one keeps one")
    func successorsAtOnce() throws {
        for round in 0..<10 as Range<UInt64> {
            let group = GroupID(high: 50, low: round)
            let number = try open().write { transaction in
                try transaction.addGroupWithEpoch(group, now: ServerFixture.now)
                return try #require(try transaction.number(of: group))
            }
            let device = try digest(number: Int(round))
            try open().write { try $0.putDevice(device, inGroup: number, now: 1) }
            let told = try atOnce(4) { index, member, _ in
                let record = EpochRecord(
                    epoch: EpochID(rawValue: 100 + index), predecessor: ServerFixture.epoch, body: [1])
                let request = WriterRequest.ask(
                    .successor(record, discounting: []), group, by: device, from: index)
                // The request is repeated as often as needed, as a laptop would do.
                while true {
                    let outcomes = member.batches([request])
                    if let epochs = existing(outcomes).first { return epochs }
                    if isKept(100 + index, outcomes) { return [record.epoch] }
                }
            }
            #expect(Set(told).count == 1 && told.first?.count == 1, "\(told)")
            let bodies = try open().read { try $0.log(of: number) }?.bodies
            #expect(bodies.map(Array.init) == told.first)
        }
    }

    @Test(
        "a writer that is told of news reads others' changes, announces each once, and knows as much as they do"
    )
    func news() throws {
        let (one, other) = (try writer(), try writer())
        let number = try #require(one.groups[ServerFixture.group]).number
        _ = one.batches(logs[0].uploads.prefix(3).map(merge) + [successor(11)])
        let brought = GroupID(high: 7, low: 7)
        let added = try open().write { transaction in
            try transaction.addGroupWithEpoch(brought, now: ServerFixture.now)
            let number = try #require(try transaction.number(of: brought))
            try transaction.putDevice(try digest(1), inGroup: number, now: 1)
            return number
        }
        let news = StoreNews(logs: [number, added, 999], rosters: [added])
        let outcomes = other.batches([.shared(.news(news, for: 5)), .shared(.news(StoreNews(), for: nil))])
        #expect(outcomes.pushes.map(\.lastSeq) == [logs[0].uploads[2].lastSeq])
        #expect(isKept(11, outcomes))
        #expect(
            other.groups.count == 2 && other.groups[ServerFixture.group] == one.groups[ServerFixture.group])
        var order: [String] = []
        for answer in outcomes.answers {
            switch answer {
            case .groupAdded(let log): order.append("added \(log.number == added)")
            case .roster(let devices): order.append("roster \(devices.map(\.key) == [try digest(1)])")
            default: break
            }
        }
        #expect(order == ["added true", "roster true", "roster true"] && outcomes.caughtUp == [5])
        // The same news changes nothing a second time.
        let again = other.batches([.shared(.news(news, for: nil))])
        #expect(again.pushes.isEmpty && !isKept(11, again))
        #expect(!again.answers.contains { if case .groupAdded = $0 { true } else { false } })
        _ = one.batches(logs[1].uploads.prefix(2).map(merge))
        let all = other.batches([.shared(.news(StoreNews(isAll: true), for: nil))])
        #expect(all.pushes.map(\.lastSeq) == [logs[1].uploads[1].lastSeq])
        #expect(one.batches([.shared(.news(StoreNews(isAll: true), for: nil))]).pushes.isEmpty)
        #expect(other.groups == one.groups)
    }

    @Test("a batch of many groups is stored together, and other servers that hear of it push all of it")
    func together() throws {
        let groups = try open().addGroups(40)
        let (writer, other) = (try writer(), try writer())
        var authors = groups.map { Author(1, group: $0.group) }
        // The second round continues each replica.
        for _ in 0..<2 {
            let requests = try groups.indices.map { place in
                WriterRequest.merge(
                    try authors[place].write(2), groups[place].group, by: groups[place].device, from: 1)
            }
            #expect(writer.batches(requests).acks.count == groups.count)
            let news = StoreNews(logs: Set(groups.map(\.number)))
            #expect(
                other.batches([.shared(.news(news, for: nil))]).pushes.count == groups.count)
        }
        #expect(other.groups == writer.groups)
        #expect(try self.writer().groups == writer.groups)
    }

    @Test("if some groups of a batch differ from the writer's memory, each is served by itself")
    func notTogether() throws {
        let groups = try open().addGroups(4)
        let (one, other) = (try writer(), try writer())
        let first = try groups.map { place in
            var author = Author(1, group: place.group)
            return [try author.write(2), try author.write(1)]
        }
        func merge(_ upload: Int, _ place: Int) -> WriterRequest {
            .merge(first[place][upload], groups[place].group, by: groups[place].device, from: UInt64(place))
        }
        // The other server has stored more of the second group, and the third group's device is revoked.
        _ = other.batches([merge(0, 1)])
        try open().write { transaction in
            _ = try transaction.setRevoked(
                groups[2].device, inGroup: groups[2].number, now: ServerFixture.now)
        }
        let outcomes = one.batches([merge(0, 0), merge(0, 1), merge(1, 1), merge(0, 2), merge(0, 3)])
        let acknowledged = outcomes.answers.compactMap { outcome in
            if case .merged(_, let head, nil, let connection) = outcome {
                (connection, head.seq)
            } else {
                nil
            }
        }
        #expect(acknowledged.filter { $0.0 == 0 }.map(\.1) == [2])
        #expect(acknowledged.filter { $0.0 == 1 }.map(\.1).last == 3)
        #expect(acknowledged.filter { $0.0 == 3 }.map(\.1) == [2])
        #expect(acknowledged.allSatisfy { $0.0 != 2 })
        #expect(outcomes.answers.contains { $0.ended == 2 })
        #expect(outcomes.map(\.tally).allSatisfy { $0.problem == nil && $0.failures == 0 })
        // A revocation is noticed even if the logs are as the writer remembers them.
        let later = one.batches([merge(0, 2), merge(1, 3)])
        #expect(later.seqs == [3])
        #expect(later.answers.contains { $0.ended == 2 })
        #expect(try self.writer().groups == one.groups)
        #expect(try open().check().problems == [])
    }

    @Test("sightings that couldn't be stored are handed back")
    func notNoted() throws {
        var fates = [0]
        let writer = try writer(on: try LossyStore(open()) { fates.popLast() ?? 5 })
        let sightings = [ServerFixture.member: Sighting(time: 5, connectedSince: 5)]
        func handedBack() -> [[Digest: Sighting]] {
            writer.batches([.note(sightings, greatestServed: 0)]).answers.compactMap {
                if case .notNoted(let sightings) = $0 { sightings } else { nil }
            }
        }
        #expect(handedBack() == [sightings])
        #expect(handedBack() == [])
    }

    @Test("news that couldn't be read is read with the next batch, and waiting connections are told then")
    func newsLater() throws {
        var fates = [0]
        let other = try writer(on: try LossyStore(open()) { fates.popLast() ?? 5 })
        let one = try writer()
        let number = try #require(one.groups[ServerFixture.group]).number
        _ = one.batches(logs[0].uploads.prefix(3).map(merge))
        let failed = other.batches([.shared(.news(StoreNews(logs: [number]), for: 5))])
        #expect(failed.pushes.isEmpty && other.lacksNews && other.isIdle)
        let outcomes = other.batches([.shared(.news(StoreNews(), for: nil))])
        #expect(outcomes.pushes.map(\.lastSeq) == [logs[0].uploads[2].lastSeq])
        #expect(outcomes.caughtUp.contains(5))
        #expect(!other.lacksNews && other.groups == one.groups)
    }
}
