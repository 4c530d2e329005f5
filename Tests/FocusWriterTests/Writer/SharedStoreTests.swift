import FocusCore
import FocusSeal
import FocusServerStore
import FocusSync
import FocusWriter
import Foundation
import PostgreSQLKit
import ServerSupport
import Synchronization
import TestSupport
import TestTraits
import Testing

/// Several servers' writers on one store, each with a memory of its own.
@Suite("Writers that share a store", .ends(within: .seconds(300)))
struct SharedStoreTests {
    /// One replica's events in uploads, as a laptop cuts them.
    private struct Log: Sendable {
        let replica: ReplicaID
        var uploads: [Segment] = []
        /// The chain after each upload, by the seq of its last event.
        var chains: [UInt64: Chain] = [0: .empty]
    }

    private let open: @Sendable () throws -> any ServerStore
    private let logs: [Log]

    init() throws {
        let address = try TestPostgreSQL.running.makeDatabase()
        let store = try PostgreSQLServerStore(at: address, access: .upgrading)
        try store.write { transaction in
            try transaction.addGroupWithEpoch(ServerFixture.group, now: ServerFixture.now)
            let number = try #require(try transaction.number(of: ServerFixture.group))
            try transaction.putDevice(ServerFixture.member, inGroup: number, now: 1)
        }
        open = { try PostgreSQLServerStore(at: address, access: .existing) }
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

    /// A store of which some commits are kept though the answer is lost, and others are undone.
    private final class LossyStore: ServerStore {
        private let store: any ServerStore
        /// What becomes of the next commit: 0 undoes it, 1 loses the answer.
        private let throwDie: () -> Int

        init(_ store: any ServerStore, _ throwDie: @escaping () -> Int) {
            self.store = store
            self.throwDie = throwDie
        }

        convenience init(_ store: any ServerStore, seed: UInt64) {
            var random = SeededGenerator(seed: seed)
            self.init(store) { Int.random(in: 0..<6, using: &random) }
        }

        var pagesTouched: Int { store.pagesTouched }

        func check() throws -> StoreCheck { try store.check() }

        func read<Result>(_ body: (any ServerSnapshot) throws -> Result) throws -> Result {
            try store.read(body)
        }

        func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
            let die = throwDie()
            let result = try store.write { transaction in
                let result = try body(transaction)
                if die == 0 { throw PostgreSQLError(.lost, "as the dice say") }
                return result
            }
            if die == 1 { throw PostgreSQLError(.unknownCommit, "as the dice say") }
            return result
        }
    }

    private func writer(losingBy seed: UInt64? = nil) throws -> LogWriter {
        let store = try open()
        return try writer(on: seed.map { LossyStore(store, seed: $0) } ?? store)
    }

    private func writer(on store: any ServerStore) throws -> LogWriter {
        let hands = HandClock()
        let clock = ServerClock(
            greatestServed: 0, wall: { hands.wall }, steady: { hands.steady })
        _ = clock.check()
        var limits = ServerLimits()
        (limits.deviceBurst, limits.groupBurst) = (1_000_000, 1_000_000)
        return try LogWriter(store, clock: clock, limits: limits, log: .silent)
    }

    private func merge(_ segment: Segment) -> WriterRequest {
        .merge(segment, ServerFixture.group, by: ServerFixture.member, from: ConnectionID(1))
    }

    /// Uploads what each replica has, in turns by dice, until this server has acknowledged all of it.
    ///
    /// - Returns: how many acknowledgements there were that are of no event's chain, or go beyond what is stored.
    private func upload(_ writer: LogWriter, seed: UInt64) throws -> Int {
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
            for outcome in writer.batches(requests).joined() {
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

    /// A server that takes nothing more.
    private struct Stuck: Error {}

    @Test(
        "whatever many servers take of the same replicas at once, no event is missing, doubled or acknowledged in vain",
        arguments: 0..<3 as Range<UInt64>, [false, true])
    func manyAtOnce(seed: UInt64, isLossy: Bool) throws {
        let found = Mutex<[Result<Int, any Error>]>([])
        let (opened, done) = (DispatchGroup(), DispatchGroup())
        let dice = (0..<4 as Range<UInt64>).map { seed << 8 | $0 }
        for _ in dice {
            opened.enter()
            done.enter()
        }
        for dice in dice {
            // Threads of their own: others that block the shared ones would have them go one after the other.
            Thread.detachNewThread {
                let result = Result {
                    let made = Result { try writer(losingBy: isLossy ? dice : nil) }
                    // None begins before all have the same memory.
                    opened.leave()
                    opened.wait()
                    return try upload(made.get(), seed: dice)
                }
                found.withLock { $0.append(result) }
                done.leave()
            }
        }
        done.wait()
        let wrong = try found.withLock { try $0.reduce(0) { try $0 + $1.get() } }
        #expect(wrong == 0, "seed \(seed)")
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

    @Test("who has an older memory takes an upload all the same, and has told what others stored meanwhile")
    func older() throws {
        let (one, other) = (try writer(), try writer())
        let log = logs[0]
        _ = one.batches(log.uploads[0..<2].map(merge))
        let outcomes = other.batches([merge(log.uploads[0]), merge(log.uploads[1]), merge(log.uploads[2])])
            .joined()
        #expect(outcomes.compactMap(\.ack).last?.seq == log.uploads[2].lastSeq)
        #expect(outcomes.allSatisfy { $0.ack?.stop == nil })
        #expect(outcomes.compactMap(\.push?.lastSeq).max() == log.uploads[2].lastSeq)
        for case .batch(let tally) in outcomes { #expect(tally.problem == nil && tally.failures == 0) }
    }

    @Test(
        "a commit whose answer was lost is found out with the next one, written once, and told to those connected"
    )
    func answerLost() throws {
        let store = try open()
        let losing = LossyStore(store, seed: 0)
        let writer = try writer(on: losing)
        let log = logs[0]
        var pushed: [UInt64] = []
        var answers: [Head] = []
        for upload in log.uploads {
            // As often as it takes, as the laptop would.
            for _ in 0..<100 where answers.last?.seq ?? 0 < upload.lastSeq {
                let outcomes = writer.batches([merge(upload)]).joined()
                pushed += outcomes.compactMap(\.push?.lastSeq)
                for case .merged(_, let head, _, _) in outcomes { answers.append(head) }
            }
        }
        #expect(
            answers.last
                == log.chains[log.uploads.last?.lastSeq ?? 0].map {
                    Head(seq: log.uploads.last?.lastSeq ?? 0, chain: $0)
                })
        // Each was told once.
        #expect(pushed == log.uploads.map(\.lastSeq))
        let again = try self.writer()
        #expect(again.groups == writer.groups)
    }

    @Test(
        "a group that was brought in a commit whose answer was lost is there with the next one, with its device"
    )
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
        let refused = writer.batches([.enrol(bring, device: device, from: 9)]).joined()
        #expect(refused.compactMap(\.enrolled).isEmpty)
        #expect(writer.groups[brought] == nil)
        let found = writer.batches([merge(logs[0].uploads[0])]).joined()
        #expect(
            found.contains { if case .groupAdded(let log) = $0 { log.group == brought } else { false } })
        #expect(
            found.contains {
                if case .reloaded(let devices, _) = $0 {
                    devices.contains { $0.key == device }
                } else {
                    false
                }
            })
        #expect(writer.groups[brought]?.epochs == [epoch: nil])
        // Who asks again is let in, as after an answer that was lost on the way to it.
        let again = writer.batches([.enrol(bring, device: device, from: 9)]).joined()
        #expect(again.compactMap(\.enrolled) == [Enrolled(group: brought, bundle: [])])
    }
}
