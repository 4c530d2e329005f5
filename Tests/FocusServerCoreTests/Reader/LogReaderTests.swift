import FocusCore
import FocusSync
import SQLiteKit
import ServerSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

/// Tests of the order of reads, and of the amount that each read takes from the store.
@Suite struct LogReaderTests {
    private let other = GroupID(high: 8, low: 9)
    private let book = LogRecorder()

    /// Returns a store with two groups. The first has `rows` rows of `events` events, with bodies of `body`
    /// bytes.
    private func fixture(rows: Int, of events: Int, body: Int) throws -> (ServerFixture, [Chain]) {
        let fixture = try ServerFixture()
        try fixture.store.write { try $0.addGroupWithEpoch(other, now: ServerFixture.now) }
        try fixture.restart()
        var chains: [Chain] = []
        var author = Author(1)
        for _ in 0..<rows {
            var one = author
            for _ in 0..<events {
                _ = try one.write(1, bodyLength: body)
                chains.append(one.chain)
            }
            _ = try fixture.run([
                .merge(author.write(events, bodyLength: body), ServerFixture.group, by: digest(1), from: 9)
            ])
        }
        var beside = Author(2, group: other)
        _ = try fixture.run([.merge(beside.write(3), other, by: digest(2), from: 8)])
        return (fixture, chains)
    }

    private func reader(_ fixture: ServerFixture) throws -> LogReader {
        LogReader(try SQLiteServerStore(at: fixture.folder.data.store, access: .readOnly), log: book.log)
    }

    /// Returns the answer of each slice, until no request is left. A slice may have no answer.
    private func slices(_ reader: LogReader) -> [ReaderAnswer?] {
        var slices: [ReaderAnswer?] = []
        while !reader.isIdle {
            slices.append(reader.work())
            reader.handle(.taken(1))
        }
        return slices
    }

    @Test("no more is read ahead than a few slices that nobody has taken yet") func ahead() throws {
        let (fixture, _) = try fixture(rows: 2, of: 40, body: 3_984)
        let reader = try reader(fixture)
        for connection in UInt64(1)...40 {
            reader.handle(
                .events(
                    ReplicaID(rawValue: 1), from: 1, bytes: Limits.read, try fixture.name, to: connection))
        }
        var underWay = 0
        for _ in 1...100 where reader.work() != nil { underWay += 1 }
        #expect(underWay == LogReader.answersAhead)
        #expect(reader.isIdle)
        reader.handle(.taken(1))
        #expect(reader.work() != nil && reader.work() == nil)
        reader.handle(.taken(LogReader.answersAhead))
        #expect(slices(reader).count == 40 - LogReader.answersAhead - 1)
    }

    private func name(_ group: GroupID, _ fixture: ServerFixture) throws -> GroupIndex.Name {
        try #require(fixture.logs[group]).name
    }

    @Test("a group that asks for a lot is read for in turn with others: these wait for one slice at most")
    func turns() throws {
        let (fixture, _) = try fixture(rows: 8, of: 40, body: 3_984)
        let reader = try reader(fixture)
        let group = try fixture.name
        for connection in UInt64(1)...20 {
            reader.handle(
                .events(ReplicaID(rawValue: 1), from: 1, bytes: Limits.read, group, to: connection))
            reader.handle(.chains(ReplicaID(rawValue: 1), at: Array(1...64), group, to: connection))
        }
        _ = reader.work()
        reader.handle(
            .events(ReplicaID(rawValue: 2), from: 1, bytes: Limits.read, try name(other, fixture), to: 99))
        let place = slices(reader).firstIndex { answer in
            if case .events(_, let segment, head: 3, to: 99)? = answer { segment?.count == 3 } else { false }
        }
        #expect(try #require(place) <= 1)
    }

    @Test("members wait for the lookups of a few strangers at most")
    func strangers() throws {
        let (fixture, _) = try fixture(rows: 1, of: 1, body: 80)
        let reader = try reader(fixture)
        for connection in UInt64(1)...100 {
            reader.handle(.groups(listing: try digest(number: Int(connection)), to: connection))
        }
        _ = reader.work()
        reader.handle(
            .events(ReplicaID(rawValue: 2), from: 1, bytes: Limits.read, try name(other, fixture), to: 999))
        let slices = slices(reader)
        let place = slices.firstIndex { if case .events? = $0 { true } else { false } }
        #expect(slices.count == 100)
        #expect(try #require(place) <= 16)
    }

    @Test("reading events looks at as many rows as it takes, and no more") func rows() throws {
        let (fixture, _) = try fixture(rows: 40, of: 16, body: 3_984)
        var work = ReadingWork()
        let found = try fixture.store.read {
            try $0.events(
                of: ReplicaID(rawValue: 1), from: 20, bytes: Limits.read, in: fixture.name, &work)
        }
        #expect(found?.packed.count ?? 0 > Limits.read - 8_000)
        #expect(work.rows == 3 && work.bytes < Limits.read + 2 * 70_000)
    }

    @Test(
        "chains in the same row are hashed once for all that are asked for, and a question takes slices of some rows"
    )
    func chains() throws {
        let (fixture, chains) = try fixture(rows: 6, of: 30, body: 3_984)
        let reader = try reader(fixture)
        let seqs: [UInt64] = (0..<64).map { UInt64((($0 * 37) % 64) * 3 + 1) }
        reader.handle(.chains(ReplicaID(rawValue: 1), at: seqs, try fixture.name, to: 5))
        reader.handle(.chains(ReplicaID(rawValue: 1), at: [2], try fixture.name, to: 5))
        let slices = slices(reader)
        let answers: [[Head]] = slices.compactMap {
            if case .chains(_, let heads, to: 5)? = $0 { heads } else { nil }
        }
        let expected = seqs.filter { $0 <= 180 }.map { Head(seq: $0, chain: chains[Int($0) - 1]) }
        #expect(answers == [expected, [Head(seq: 2, chain: chains[1])]])
        // There are six rows of 120 KB, two in each slice.
        #expect((4...5).contains(slices.count))
    }

    @Test("reads of epochs' records stop at the limit of bytes, after at least one record")
    func epochs() throws {
        let (fixture, _) = try fixture(rows: 1, of: 1, body: 80)
        let number = try fixture.name.number
        for epoch in UInt64(10)..<20 {
            let bytes = epoch == 13 ? 300_000 : 50_000
            try fixture.store.write {
                try $0.putEpoch(
                    EpochRecord(
                        epoch: EpochID(rawValue: epoch), predecessor: nil,
                        body: [UInt8](repeating: 1, count: bytes)), group: number)
            }
        }
        let reader = try reader(fixture)
        var left = (UInt64(8)..<22).map(EpochID.init(rawValue:))
        var found: [[UInt64]] = []
        while !left.isEmpty {
            reader.handle(.epochs(left, bytes: Limits.read, try fixture.name, to: 3))
            guard case .epochs(let records, let count, to: 3)? = reader.work() else { break }
            reader.handle(.taken(1))
            found.append(records.map(\.epoch.rawValue))
            left.removeFirst(count)
        }
        #expect(found == [[10, 11], [12], [13], [14, 15], [16, 17], [18, 19]])
    }

    @Test("a row that was damaged fails what reads it, and nothing else") func damage() throws {
        let (fixture, _) = try fixture(rows: 2, of: 3, body: 400)
        try fixture.store.database.run(
            "UPDATE segments SET packed = x'00' WHERE group_number = ? AND first_seq = 4", fixture.name.number
        )
        let reader = try reader(fixture)
        let (group, replica) = (try fixture.name, ReplicaID(rawValue: 1))
        reader.handle(.chains(replica, at: [1, 5], group, to: 1))
        reader.handle(.chains(replica, at: [2], group, to: 2))
        reader.handle(.events(replica, from: 4, bytes: 100, group, to: 3))
        reader.handle(.events(replica, from: 1, bytes: 10, group, to: 4))
        var failed: [ConnectionID] = []
        var answered: [ConnectionID] = []
        for answer in slices(reader) {
            switch answer {
            case .failed(let connection)?: failed.append(connection)
            case .events(_, _, _, let connection)?, .chains(_, _, let connection)?:
                answered.append(connection)
            default: break
            }
        }
        #expect(Set(failed) == [1, 3] && Set(answered) == [2, 4])
        #expect(book.events == ["read-failed", "read-failed"])
    }

    @Test("requests of a connection that has ended are skipped") func ended() throws {
        let (fixture, _) = try fixture(rows: 6, of: 30, body: 3_984)
        let reader = try reader(fixture)
        let (group, replica) = (try fixture.name, ReplicaID(rawValue: 1))
        for connection in UInt64(1)...9 {
            reader.handle(.chains(replica, at: Array(1...64), group, to: connection))
            reader.handle(.events(replica, from: 1, bytes: 10, group, to: connection))
            if connection > 1 { reader.handle(.ended(connection)) }
        }
        reader.handle(.orders(known: nil))
        var answered: [ConnectionID] = []
        var isAnswered = false
        for answer in slices(reader) {
            switch answer {
            case .events(_, _, _, let connection)?, .chains(_, _, let connection)?:
                answered.append(connection)
            case .orders?: isAnswered = true
            default: break
            }
        }
        #expect(answered.sorted() == [1, 1] && isAnswered)
    }

    @Test("a thread is told of standing orders only if it doesn't know them") func orders() throws {
        let (fixture, _) = try fixture(rows: 1, of: 1, body: 80)
        let reader = try reader(fixture)
        let known = try fixture.store.read { try $0.orders() }
        func answer(_ known: StandingOrders?) -> StandingOrders? {
            reader.handle(.orders(known: known))
            guard case .orders(let orders)? = reader.work() else { return nil }
            reader.handle(.taken(1))
            return orders
        }
        #expect(answer(known) == nil && reader.isIdle)
        #expect(answer(nil) == known)
        try fixture.store.write { try $0.raiseRevision() }
        #expect(answer(known)?.revision == known.revision + 1)
        #expect(answer(known) != nil, "as long as nobody knows it")
    }
}
