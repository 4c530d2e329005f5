import FocusCore
import FocusDevice
import SQLiteKit
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("Programs that take turns on one disk", .ends(within: .seconds(60)))
struct InterleaverTests {
    private let disk = VirtualDisk()
    private static let path = "/counts.db"

    private static func open(_ disk: VirtualDisk, patience: Duration = 5000) throws -> Database {
        try Database(path: path, on: .virtual(disk), access: .readWriteCreate, busyTimeout: patience)
    }

    /// Makes a table with one number, 0.
    private func prepare() throws {
        let database = try InterleaverTests.open(disk)
        try database.useWriteAheadLog()
        try database.execute("CREATE TABLE counts (count INTEGER); INSERT INTO counts VALUES (0)")
    }

    private func count() throws -> Int64? {
        try InterleaverTests.open(disk).first("SELECT count FROM counts", read: { $0[0] })
    }

    /// Increments the number, by a read and a write in one transaction.
    private static func countUp(_ database: borrowing Database, _ mode: Database.TransactionMode) throws {
        try database.transaction(mode) {
            let count: Int64? = try database.first("SELECT count FROM counts", read: { $0[0] })
            try database.run("UPDATE counts SET count = ?", (count ?? 0) + 1)
        }
    }

    @Test("the same seed is the same run, and others aren't")
    func seeds() throws {
        /// Returns the calls of two programs that count up.
        func turns(_ seed: UInt64) throws -> [Interleaver.Turn] {
            disk.replace(with: DiskImage())
            try prepare()
            let interleaver = Interleaver(disk, seed: seed)
            for _ in 0..<2 {
                interleaver.add { [disk] in
                    let database = try InterleaverTests.open(disk)
                    for _ in 0..<5 { try InterleaverTests.countUp(database, .immediate) }
                }
            }
            interleaver.run()
            #expect(try count() == 10)
            #expect(interleaver.programs.allSatisfy { $0.failure == nil })
            return interleaver.turns
        }
        let first = try turns(1)
        #expect(try turns(1) == first)
        #expect(Set(try (1...8).map(turns)).count == 8)
        #expect(zip(first, first.dropFirst()).contains { $0.program != $1.program })
    }

    @Test(
        "a transaction that locks only at its write fails if another program has written since its read")
    func deferred() throws {
        try prepare()
        var codes: Set<ResultCode> = []
        for seed in Schedules.seeds(1...60) {
            let interleaver = Interleaver(disk, seed: seed)
            for _ in 0..<2 {
                interleaver.add { [disk] in
                    let database = try InterleaverTests.open(disk)
                    for _ in 0..<5 { try InterleaverTests.countUp(database, .deferred) }
                }
            }
            interleaver.run()
            for case let error as SQLiteError in interleaver.programs.map(\.failure) {
                codes.insert(error.extendedCode)
            }
        }
        #expect(codes.contains(.busySnapshot))
    }

    @Test("a program that waits for a lock gives up after its timeout, and not before")
    func patience() throws {
        try prepare()
        for (held, patience) in [(4_000_000, 5000), (6_000_000, 5000), (6_000_000, 7000)]
            as [(Int64, Duration)]
        {
            let interleaver = Interleaver(disk, seed: 3)
            let clock = interleaver.clocks.sinceBoot
            var waited = Duration.zero
            interleaver.add { [disk] in
                let database = try InterleaverTests.open(disk)
                try database.transaction(.immediate) {
                    try database.run("UPDATE counts SET count = count + 1")
                    disk.whenCalled?(.wait(Int32(held)))
                }
            }
            interleaver.add { [disk] in
                disk.whenCalled?(.wait(1000))
                let before = clock()
                defer { waited = clock() - before }
                try InterleaverTests.countUp(try InterleaverTests.open(disk, patience: patience), .immediate)
            }
            interleaver.run()
            let failure = interleaver.programs[1].failure as? SQLiteError
            #expect(interleaver.programs[0].failure == nil)
            #expect((failure?.code == .busy) == (held > patience.inMicroseconds))
            #expect(failure == nil || waited > patience * 9 / 10)
        }
    }
}
