package import FocusCore
import FocusSeal
package import FocusServerCore
package import FocusServerStore
import FocusSync
package import PostgreSQLKit
package import TestSupport
import Testing

/// A store with one group, its writer, and helpers to fill it.
package final class ServerFixture {
    package static let group = GroupID(high: 1, low: 2)
    package static let epoch = EpochID(rawValue: 3)
    /// The member that makes requests if a test names no other.
    package static let member = Digest(InlineArray(repeating: 0xEE))
    /// The server's wall clock in these tests.
    package static let now = SharedInstant(milliseconds: 1_763_661_600_000)

    package let folder: TemporaryFolder
    /// The writer's log.
    package let book = LogRecorder()
    package let limits: ServerLimits
    private let manualClock = ManualClock()
    private let clock: ServerClock
    package private(set) var writer: LogWriter

    /// The writer's store.
    package private(set) var store: SQLiteServerStore
    /// The logs of all groups, as the writer keeps them in memory.
    package var logs: [GroupID: GroupIndex] { writer.groups }

    package init(_ limits: ServerLimits = ServerLimits()) throws {
        self.limits = limits
        folder = try TemporaryFolder()
        store = try SQLiteServerStore(at: folder.data.store, access: .readWriteCreate)
        try store.write { try $0.addGroupWithEpoch(ServerFixture.group, now: ServerFixture.now) }
        clock = manualClock.serverClock()
        writer = try LogWriter(store, clock: clock, limits: limits, log: book.log)
    }

    /// Restarts the writer, which then loads the changes that a test has made in the store.
    package func restart() throws {
        store = try SQLiteServerStore(at: folder.data.store, access: .readWrite)
        writer = try LogWriter(store, clock: clock, limits: limits, log: book.log)
    }

    /// Compacts the store: merges the recently stored segments into their final rows.
    package func compact() throws {
        #expect(try store.write { try $0.compact(beyond: 0) }.isEmpty)
    }

    package var name: GroupIndex.Name {
        get throws { try #require(logs[ServerFixture.group]).name }
    }

    /// Has the writer handle `requests`, and returns the outcome of each batch.
    ///
    /// - Parameters:
    ///   - seconds: The time of the steady clock, in seconds.
    ///   - admitting: Whether to add unknown requesters to the group first.
    /// - Throws: `NotStored` if the writer couldn't store a batch.
    package func run(
        _ requests: [WriterRequest], clockSure: Bool = true, after seconds: Int64 = 0, admitting: Bool = true
    ) throws -> [CommitOutcome] {
        if admitting { try writer.admit(requests) }
        manualClock.set(seconds, isOff: !clockSure)
        let batches = writer.batches(requests)
        for batch in batches where !batch.tally.isComplete { throw NotStored(tally: batch.tally) }
        return batches
    }

    /// Handles each request in a batch of its own, in order.
    ///
    /// In one batch, requests outside of groups would come first, and then one request of each connection in
    /// turn.
    package func run(inOrder requests: [WriterRequest]) throws -> [CommitOutcome] {
        try requests.flatMap { try run([$0]) }
    }

    /// Adds an invite, and returns its token.
    ///
    /// - Parameters:
    ///   - token: The token; nil for a new one.
    ///   - bundle: The wrapped key for a laptop that joins the fixture's group, or nil for an invite to bring
    ///     a group.
    @discardableResult
    package func invite(
        _ token: [UInt8]? = nil, bundle: [UInt8]?, lifetime: Duration = .seconds(60)
    ) throws -> [UInt8] {
        let token = try token ?? InviteSecret.random().token().bytes.exposed()
        try store.write {
            try $0.addInvite(
                Digest(of: token.span.bytes), group: bundle == nil ? nil : name.number, bundle: bundle,
                expires: ServerFixture.now + lifetime, by: nil)
        }
        return token
    }

    /// A batch that wasn't stored completely.
    package struct NotStored: Error { let tally: BatchTally }
}

extension ServerFixture {
    /// Makes a store in a new database, with the fixture's group and member, and returns its address.
    package static func makeDatabase() throws -> PostgreSQLAddress {
        let address = try TestPostgreSQL.running.makeDatabase()
        try fill(address)
        return address
    }

    /// Makes a store in an empty database, with the fixture's group and member.
    package static func fill(_ address: PostgreSQLAddress) throws {
        let store = try PostgreSQLServerStore(at: address, access: .upgrading)
        try store.write { transaction in
            try transaction.addGroupWithEpoch(group, now: now)
            let number = try #require(try transaction.number(of: group))
            try transaction.putDevice(member, inGroup: number, now: 1)
        }
    }
}

extension ServerTransaction {
    /// Adds a group with the fixture's epoch, which is all that events need.
    package func addGroupWithEpoch(_ group: GroupID, now: SharedInstant) throws {
        try putEpoch(EpochRecord(naming: ServerFixture.epoch), group: addGroup(group, now: now))
    }
}
