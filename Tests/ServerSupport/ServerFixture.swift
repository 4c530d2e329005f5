package import FocusCore
import FocusServerFiles
package import FocusServerStore
import FocusSync
package import FocusWriter
package import PostgreSQLKit
package import TestSupport
import Testing

/// A store with one group in it, the writer to it, and what a test needs to fill it.
package final class ServerFixture {
    package static let group = GroupID(high: 1, low: 2)
    package static let epoch = EpochID(rawValue: 3)
    /// The member that asks where a test says nothing of who does.
    package static let member = Digest(InlineArray(repeating: 0xEE))
    /// The server's clock in these tests, in milliseconds.
    package static let now = SharedInstant(milliseconds: 1_763_661_600_000)

    package let folder: TemporaryFolder
    /// What the writer's log says.
    package let book = LogBook()
    package let limits: ServerLimits
    private let hands = HandClock()
    private let clock: ServerClock
    package private(set) var writer: LogWriter

    /// The writer's store.
    package private(set) var store: SQLiteServerStore
    /// Every group's log as the writer has it in memory.
    package var logs: [GroupID: GroupIndex] { writer.groups }

    package init(_ limits: ServerLimits = ServerLimits()) throws {
        self.limits = limits
        folder = try TemporaryFolder()
        store = try SQLiteServerStore(at: folder.data.store, access: .readWriteCreate)
        try store.write { try $0.addGroupWithEpoch(ServerFixture.group, now: ServerFixture.now) }
        clock = hands.serverClock()
        writer = try LogWriter(store, clock: clock, limits: limits, log: book.log)
    }

    /// Starts the writer anew, as a server does, which finds what a test has put into the store.
    package func restart() throws {
        store = try SQLiteServerStore(at: folder.data.store, access: .readWrite)
        writer = try LogWriter(store, clock: clock, limits: limits, log: book.log)
    }

    /// Has the store put all that was stored lately in its place.
    package func compact() throws {
        #expect(try store.write { try $0.compact(beyond: 0) }.isEmpty)
    }

    package var name: GroupIndex.Name {
        get throws { try #require(logs[ServerFixture.group]).name }
    }

    /// Has the writer do these requests, in as many batches as it takes, and gives what came of them.
    ///
    /// - Parameters:
    ///   - seconds: when, by the steady clock.
    ///   - admitting: whether who asks for something is put into the group first, where no group has them.
    /// - Throws: `NotStored`, where the writer couldn't store something.
    package func run(
        _ requests: [WriterRequest], clockSure: Bool = true, after seconds: Int64 = 0, admitting: Bool = true
    ) throws -> [WriterOutcome] {
        if admitting { try writer.admit(requests) }
        hands.set(seconds, isOff: !clockSure)
        return try writer.batches(requests).flatMap { outcomes in
            for case .batch(let tally) in outcomes where tally.failures > 0 || tally.problem != nil {
                throw NotStored(tally: tally)
            }
            return outcomes.filter { !$0.isTally }
        }
    }

    /// The same, one after the other, each in a batch of its own: in one batch, what belongs to no group is done first,
    /// and then a request of each connection in turn.
    package func run(inOrder requests: [WriterRequest]) throws -> [WriterOutcome] {
        try requests.flatMap { try run([$0]) }
    }

    /// A batch that could not be stored as a whole.
    package struct NotStored: Error { let tally: BatchTally }
}

extension ServerFixture {
    /// The address of a store in a database that no other test has, with the fixture's group and its member.
    package static func makeDatabase() throws -> PostgreSQLAddress {
        let address = try TestPostgreSQL.running.makeDatabase()
        let store = try PostgreSQLServerStore(at: address, access: .upgrading)
        try store.write { transaction in
            try transaction.addGroupWithEpoch(group, now: now)
            let number = try #require(try transaction.number(of: group))
            try transaction.putDevice(member, inGroup: number, now: 1)
        }
        return address
    }
}

extension ServerTransaction {
    /// Adds a group that knows the fixture's epoch, which is all that its laptops' events need.
    package func addGroupWithEpoch(_ group: GroupID, now: SharedInstant) throws {
        try putEpoch(EpochRecord(naming: ServerFixture.epoch), group: addGroup(group, now: now))
    }
}
