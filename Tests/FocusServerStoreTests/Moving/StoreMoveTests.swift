import FocusCore
import FocusSync
import PostgreSQLKit
import SQLiteKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServer
@testable import FocusServerStore

@Suite("Moving a server's store", .ends(within: .seconds(600)))
struct StoreMoveTests {
    /// The direction of a move between a file and a database.
    enum Direction: CaseIterable, Sendable {
        case toDatabase
        case toFile
    }

    /// The stores of one test.
    private struct Stores {
        let folder: TemporaryFolder
        let address: PostgreSQLAddress
        let direction: Direction

        init(_ direction: Direction) throws {
            self.direction = direction
            folder = try TemporaryFolder()
            address = try TestPostgreSQL.running.makeDatabase()
        }

        private func file() throws -> SQLiteServerStore {
            try SQLiteServerStore(at: folder.file("focusd.db"), access: .readWriteCreate)
        }

        func source() throws -> any MovableStore {
            switch direction {
            case .toDatabase: try file()
            case .toFile: try PostgreSQLServerStore(at: address, access: .upgrading)
            }
        }

        func target() throws -> any MovableStore {
            switch direction {
            case .toDatabase: try PostgreSQLServerStore(at: address, access: .filling)
            case .toFile: try file()
            }
        }

        /// Moves the store, and breaks off after `count` groups; moves everything if `count` is nil.
        func move(breakingOffAfter count: Int? = nil) throws -> StoreMove.Progress {
            try StoreMove(from: source(), to: target()).run(now: 99) { progress in
                if progress.groups == count { throw Undone() }
            }
        }

        /// Expects that both stores have the same content, and that the new one is whole.
        func expectSame() throws {
            let (old, new) = (try source(), try target())
            #expect(try new.check().problems.map(\.sentence) == [])
            #expect(try old.check().events == new.check().events)
            #expect(try content(old) == content(new))
        }

        private func content(_ store: any MovableStore) throws -> Content {
            try store.readForMove { transaction in
                var content = Content(server: try transaction.movedServer())
                for (group, log) in try transaction.logs() {
                    content.groups[group] = try transaction.movedGroup(log.number)
                    content.heads[group] = log.heads
                    try transaction.forEachSegment(of: log.number) { row in
                        content.events[group, default: [:]][row.replica, default: []] += row.packed
                    }
                }
                return content
            }
        }

        private struct Content: Equatable {
            let server: ServerRows
            var groups: [GroupID: GroupRows] = [:]
            var heads: [GroupID: [ReplicaID: ReplicaHead]] = [:]
            /// Each replica's packed events, however they are split into rows.
            var events: [GroupID: [ReplicaID: [UInt8]]] = [:]
        }
    }

    /// Fills a store with rows in each table, and with four groups. One group is empty.
    private func fill(_ store: any MovableStore) throws {
        try store.write { transaction in
            try transaction.setAddresses(["one", "two:7"])
            try transaction.raiseGreatestServed(to: 17, acceptances: nil)
            try transaction.announceNextKey(digest(9), now: 5)
            try transaction.acceptClock(now: 18)
            try transaction.noteBackup("/x", at: 3)
            try transaction.noteBackup(problem: "a full disk")
            try transaction.addInvite(
                digest(70), group: nil, bundle: nil, expires: 1_000_000_000_000, by: nil)
            for group: UInt64 in 1...4 {
                let id = GroupID(high: 0, low: group)
                let number = try transaction.addGroup(id, now: instant(group))
                guard group < 4 else { continue }
                try transaction.setName("Group \(group)", ofGroup: id)
                try transaction.setQuota(GroupQuota(events: 10 * Int(group), bytes: nil, devices: 3), of: id)
                try transaction.putEpoch(EpochRecord(naming: ServerFixture.epoch), group: number)
                try transaction.putEpoch(
                    EpochRecord(
                        epoch: EpochID(rawValue: .max), predecessor: ServerFixture.epoch, body: [1, 2]),
                    group: number)
                let key = try digest(UInt8(group))
                try transaction.putDevice(key, inGroup: number, now: 2)
                try transaction.listDevice(digest(50), inGroup: number, isRevoked: group == 2, now: 4)
                try transaction.record(Sighting(time: 8, program: "focus"), of: key)
                try transaction.setName("Ada's", ofDevice: key)
                try transaction.addBrought(GroupSize(events: 2, bytes: 30), by: key)
                try transaction.addBrought(replicas: 1, epochs: 2, by: key, toGroup: number)
                try transaction.setTold(key, of: digest(9))
                try transaction.addInvite(
                    digest(60 + UInt8(group)), group: number, bundle: [7], expires: 1_000_000_000_000, by: key
                )
                try transaction.addInvite(
                    digest(80 + UInt8(group)), group: number, bundle: [8], expires: 1_000_000_000_000, by: nil
                )
                try transaction.redeemInvite(digest(80 + UInt8(group)), by: key, group: number, now: 9)
                for replica: UInt64 in [1, 1 << 63, .max] {
                    var author = Author(replica, group: id)
                    for length in [80, 464, 1_936, 80, 80] {
                        let (segment, head) = try author.segment(Int(group), bodyLength: length)
                        try transaction.addSegment(segment, through: head, group: number)
                    }
                }
            }
        }
    }

    @Test(
        "a move that is broken off anywhere goes on; then all of it is there once, and whole",
        arguments: Direction.allCases)
    func brokenOff(_ direction: Direction) throws {
        for count in 1...4 {
            let stores = try Stores(direction)
            try fill(stores.source())
            #expect(throws: Undone.self) { _ = try stores.move(breakingOffAfter: count) }
            let moved = try stores.move()
            #expect(moved.groups == 4 && moved.total == 4 && moved.events == 15 * (1 + 2 + 3))
            try stores.expectSame()
        }
    }

    @Test(
        "groups that have changed since a move was broken off are moved again", arguments: Direction.allCases)
    func changed(_ direction: Direction) throws {
        let stores = try Stores(direction)
        try fill(stores.source())
        #expect(throws: Undone.self) { _ = try stores.move(breakingOffAfter: 3) }
        try stores.source().write { transaction in
            let numbers = try transaction.groupNumbers()
            let first = try #require(numbers[GroupID(high: 0, low: 1)])
            var author = Author(77, group: GroupID(high: 0, low: 1))
            let (segment, head) = try author.segment(3)
            try transaction.addSegment(segment, through: head, group: first)
            _ = try transaction.deleteGroup(GroupID(high: 0, low: 2), now: 100)
            try transaction.setName("Another", ofDevice: digest(3))
            _ = try transaction.addGroup(GroupID(high: 0, low: 5), now: 101)
        }
        #expect(try stores.move().groups == 4)
        while try stores.source().write({ try $0.deleteRemains() }) {}
        try stores.expectSame()
    }

    @Test(
        "a group with missing events or a changed bit isn't moved, and nothing of it is there",
        arguments: Direction.allCases, [false, true])
    func damaged(_ direction: Direction, isBit: Bool) throws {
        let stores = try Stores(direction)
        try fill(stores.source())
        let changed =
            direction == .toFile
            ? "set_byte(packed, 18, 8)"
            : "CAST(substr(packed, 1, 18) || x'08' || substr(packed, 20) AS BLOB)"
        let change = isBit ? "packed = \(changed)" : "first_seq = first_seq + 100"
        let sql = "UPDATE segments SET \(change) WHERE group_number = 2 AND replica = 1 AND first_seq >= 1"
        switch direction {
        case .toDatabase:
            try stores.source().write { _ = try $0.compact(beyond: 0) }
            try Database(path: stores.folder.file("focusd.db"), access: .readWrite).execute(sql)
        case .toFile: _ = try PostgreSQLConnection(to: stores.address).rows(sql)
        }
        let failure = #expect(throws: (any Error).self) { _ = try stores.move() }
        if isBit {
            guard case .isDamaged(let problems) = failure as? MoveFailure else { throw try #require(failure) }
            #expect(problems.map(\.sentence).contains { $0.contains("their chain differs") })
        }
        #expect(try stores.target().read { Set(try $0.logs().keys.map(\.low)) } == [1])
    }

    @Test("a group that reads otherwise than it was written isn't kept")
    func otherwise() throws {
        let stores = try Stores(.toDatabase)
        try fill(stores.source())
        do { _ = try stores.target() }
        do {
            let connection = try PostgreSQLConnection(to: stores.address)
            _ = try connection.rows(
                """
                CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN NEW.stamp := NEW.stamp + 1; RETURN NEW; END $$
                """)
            _ = try connection.rows(
                "CREATE TRIGGER t BEFORE INSERT OR UPDATE ON heads FOR EACH ROW EXECUTE FUNCTION later()")
        }
        #expect(throws: MoveFailure.differs(GroupID(high: 0, low: 1))) { _ = try stores.move() }
        #expect(try stores.target().read { try $0.logs() }.isEmpty)
    }

    @Test("a file isn't moved to a file")
    func noMove() throws {
        let stores = try Stores(.toDatabase)
        try fill(stores.source())
        #expect(throws: MoveFailure.isNoMove) {
            _ = try StoreMove.run(
                from: .folder, to: .folder, file: stores.folder.file("focusd.db"), now: 1
            ) { _ in }
        }
    }

    @Test("a database with other content isn't changed, and one with an unfinished move serves nobody")
    func content() throws {
        let stores = try Stores(.toDatabase)
        try fill(stores.source())
        do {
            let other = try PostgreSQLServerStore(at: stores.address, access: .upgrading)
            try other.write { _ = try $0.addGroup(GroupID(high: 7, low: 7), now: 1) }
            #expect(throws: MoveFailure.hasContent) { _ = try stores.move() }
            #expect(try other.read { try $0.groupNumbers().keys.map(\.high) } == [7])
            try other.write { _ = try $0.deleteGroup(GroupID(high: 7, low: 7), now: 1) }
            while try other.write({ try $0.deleteRemains() }) {}
        }
        #expect(throws: Undone.self) { _ = try stores.move(breakingOffAfter: 2) }
        for access in [PostgreSQLServerStore.Access.existing, .upgrading] {
            let error = #expect(throws: PostgreSQLSchemaError.self) {
                _ = try PostgreSQLServerStore(at: stores.address, access: access)
            }
            #expect(error?.code == .unfinished)
        }
        _ = try stores.move()
        _ = try PostgreSQLServerStore(at: stores.address, access: .existing)
    }

    @Test("a database with a connected server is neither source nor target of a move")
    func inUse() throws {
        let stores = try Stores(.toDatabase)
        try fill(stores.source())
        let path = stores.folder.file("focusd.db")
        let server = try PostgreSQLServerStore(at: stores.address, access: .upgrading)
        for (source, target) in [
            (StoreLocation.folder, StoreLocation.database(stores.address)),
            (.database(stores.address), .folder),
        ] {
            #expect(throws: MoveFailure.isInUse) {
                _ = try StoreMove.run(from: source, to: target, file: path, now: 1) { _ in }
            }
        }
        #expect(try server.read { try $0.groupNumbers() } == [:])
    }

    @Test("a connected server is found under any application name, and none starts during a move")
    func othersName() throws {
        let stores = try Stores(.toFile)
        try fill(stores.source())
        let path = stores.folder.file("focusd.db")
        func move() throws -> StoreMove.Progress {
            try StoreMove.run(from: .database(stores.address), to: .folder, file: path, now: 1) { progress in
                guard progress.groups == 1 else { return }
                let error = #expect(throws: PostgreSQLError.self) {
                    _ = try PostgreSQLServerStore(at: stores.address, access: .existing)
                }
                #expect(error?.state == .lockNotAvailable)
            }
        }
        let text = "\(stores.address.shown)"
        let named = try #require(
            PostgreSQLAddress(text + (text.contains("?") ? "&" : "?") + "application_name=another"))
        do {
            let server = try PostgreSQLServerStore(at: named, access: .existing)
            #expect(throws: MoveFailure.isInUse) { _ = try move() }
            #expect(try server.read { try $0.groupNumbers().count } == 4)
        }
        #expect(try move().groups == 4)
        _ = try PostgreSQLServerStore(at: named, access: .existing)
    }
}
