import FocusCore
import FocusSync
import SQLiteKit
import ServerSupport
import Testing

@testable import FocusServerStore
@testable import FocusWriter

/// A group's disk quota, compared with the growth of the store's file.
@Suite struct DiskQuotaTests {
    private let group = ServerFixture.group
    private let quota = 200_000

    private func fixture() throws -> ServerFixture {
        var limits = ServerLimits()
        limits.bytesPerGroup = quota
        return try ServerFixture(limits)
    }

    private func fileSize(_ fixture: ServerFixture) throws -> Int {
        let pages: Int = try fixture.store.database.first("PRAGMA page_count") { $0[0] } ?? 0
        let size: Int = try fixture.store.database.first("PRAGMA page_size") { $0[0] } ?? 0
        return pages * size
    }

    @Test(
        "a group's uploads of one event each take about its quota of the disk, and at most a tenth more",
        arguments: [80, 464, 912, 1_936, 3_984, 4_048])
    func single(bodyLength: Int) throws {
        let fixture = try fixture()
        let empty = try fileSize(fixture)
        var authors = (1...16).map { Author($0 &* 0x9E37_79B9_7F4A_7C15) }
        var count = 0
        var isFull = false
        while !isFull, count < 10_000 {
            let segment = try authors[count % 16].write(1, bodyLength: bodyLength)
            let outcomes = try fixture.run(
                [.merge(segment, group, by: digest(1), from: 9)], after: Int64(count))
            isFull = outcomes.compactMap(\.ack).first?.stop == .groupFull
            count += 1
        }
        try fixture.expectStoreMatchesMemory()
        let size = try fileSize(fixture) - empty
        // The last row may begin below the quota and end above it.
        #expect(isFull && size <= quota + quota / 10 + bodyLength && size >= quota / 5 * 2)
    }

    @Test(
        "epochs' records take no more of the disk than the quota and a tenth",
        arguments: [100, 256, 300, 5_000])
    func epochs(length: Int) throws {
        let fixture = try fixture()
        let empty = try fileSize(fixture)
        let body = [UInt8](repeating: 1, count: length)
        let records = (1...1_000).map { number in
            EpochRecord(
                epoch: EpochID(rawValue: UInt64(number) &* 0x9E37_79B9_7F4A_7C15),
                predecessor: ServerFixture.epoch, body: body)
        }
        _ = try fixture.run(records.map { .ask(.epoch($0), group, from: 9) })
        try fixture.expectStoreMatchesMemory()
        let kept = try #require(fixture.logs[group]).bodies.count
        #expect(kept < 1_000 || length == 100)
        #expect(try fileSize(fixture) - empty <= quota + quota / 10 + length)
    }

    @Test("uploads that share a row, or that are split into several, count by the rows that result")
    func rows() throws {
        let fixture = try ServerFixture()
        var authors = (1...3).map { Author($0) }
        for lengths in [[80, 80, 80], [1_936, 3_984, 80], [4_048, 4_048, 80]] {
            var requests: [WriterRequest] = []
            for length in lengths {
                for place in authors.indices {
                    requests.append(
                        .merge(
                            try authors[place].write(1 + 20 * place, bodyLength: length), group,
                            by: try digest(1),
                            from: 9))
                }
            }
            _ = try fixture.run(requests)
            try fixture.expectStoreMatchesMemory()
        }
        // Some rows hold one upload, others hold several.
        var rows: [Int] = []
        try fixture.store.database.forEach("SELECT length(packed) FROM segments") { rows.append($0[0]) }
        #expect(fixture.logs[group]?.size.bytes == rows.reduce(0) { $0 + StoredSize.row(packed: $1) })
        #expect(rows.count > 9 && rows.count < 27)
    }
}
