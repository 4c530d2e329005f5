import FocusColumns
import FocusCore
import SQLiteKit
import TestSupport
import Testing

@Suite("Types of the core in columns")
struct ColumnsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a value to a column, and returns it as it is read back.
    private func again<Value: SQLiteValue>(_ value: Value) throws -> Value? {
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        return try database.first("SELECT ?", value) { $0[0] }
    }

    /// Reads a column that holds `bytes`.
    private func read<Value>(
        _ bytes: [UInt8], _ body: (borrowing Row) throws -> Value
    ) throws -> Value? {
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        return try database.first("SELECT ?", bytes, read: body)
    }

    private let ends: [UInt64] = [0, 1, 1 << 63 - 1, 1 << 63, .max]

    @Test("what goes in comes out, at the ends of each range")
    func roundTrip() throws {
        for number in ends {
            #expect(try again(ReplicaID(rawValue: number))?.rawValue == number)
            #expect(try again(PlainReplica(ReplicaID(rawValue: number)))?.id.rawValue == number)
            #expect(try again(Stamp(rawValue: number))?.rawValue == number)
            #expect(try again(EpochID(rawValue: number))?.rawValue == number)
            #expect(try again(Chain(high: number, low: ~number)) == Chain(high: number, low: ~number))
        }
        for milliseconds in [-1 << 48, -1, 0, 1_763_661_600_000, 1 << 48] as [Int64] {
            let instant = SharedInstant(milliseconds: milliseconds)
            #expect(try again(instant) == instant)
        }
    }

    @Test("a laptop's columns order replicas as they are ordered, and a server's those from 2^63 on first")
    func order() throws {
        let database = try Database(path: folder.file(), access: .readWriteCreate)
        try database.execute("CREATE TABLE replicas (ours INTEGER, theirs INTEGER) STRICT")
        for number in ends.reversed() {
            let id = ReplicaID(rawValue: number)
            try database.run("INSERT INTO replicas VALUES (?, ?)", id, PlainReplica(id))
        }
        var ours: [UInt64] = []
        var theirs: [UInt64] = []
        try database.forEach("SELECT ours FROM replicas ORDER BY ours") { row in
            let id: ReplicaID = row[0]
            ours.append(id.rawValue)
        }
        try database.forEach("SELECT theirs FROM replicas ORDER BY theirs") { row in
            let replica: PlainReplica = row[0]
            theirs.append(replica.id.rawValue)
        }
        #expect(ours == ends)
        #expect(theirs == [1 << 63, .max, 0, 1, 1 << 63 - 1] as [UInt64])
    }

    @Test("what has a fixed length is read where it has that, and is damage where it hasn't")
    func lengths() throws {
        let group = GroupID(high: 1, low: .max)
        #expect(try read(group.bytes) { try $0.group(0) } == group)
        #expect(try read(Chain(high: 2, low: 3).bytes) { try $0.chain(0) } == Chain(high: 2, low: 3))
        let digest = Digest(InlineArray(repeating: 7))
        #expect(try read(digest.bytes) { try $0.digest(0) } == digest)
        for count in [0, 15, 17, 31, 33] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(throws: RowCorruption(description: "a group's id has not 16 bytes")) {
                try read(bytes) { try $0.group(0) }
            }
            #expect(throws: RowCorruption(description: "a chain has not 16 bytes")) {
                try read(bytes) { try $0.chain(0) }
            }
            #expect(throws: RowCorruption(description: "a key's hash has not 32 bytes")) {
                try read(bytes) { try $0.digest(0) }
            }
        }
    }
}
