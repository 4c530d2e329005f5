import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync
import Foundation
import PostgreSQLKit
import ServerSupport
import TestSupport
import TestTraits
import Testing

/// Tests of writers with a database that accepts no writes for a while, in which other servers lock rows, or
/// which has lost rows.
@Suite("Writers whose database is in trouble", .ends(within: .seconds(600)))
struct TroubledDatabaseTests {
    /// The reason why the database accepts no writes.
    enum Trouble: CaseIterable {
        /// Its disk is full.
        case full
        /// It has become a standby.
        case readOnly
        /// Another connection locks a table.
        case locked

        /// The refusal that a laptop gets.
        var code: RefusalCode { self == .full ? .noRoom : .internal }
    }

    private let database: DatabaseFixture
    private var address: PostgreSQLAddress { database.address }
    private var number: Int64 { database.number }
    /// The connection that causes the trouble.
    private var administrator: PostgreSQLConnection { database.administrator }

    init() throws { database = try DatabaseFixture() }

    private func begin(_ trouble: Trouble) throws {
        switch trouble {
        case .full: try refuse(with: "53100")
        case .readOnly: try refuse(with: "25006")
        case .locked:
            try administrator.begin(.writing)
            _ = try administrator.rows("LOCK TABLE heads IN ACCESS EXCLUSIVE MODE")
        }
    }

    /// Makes the database refuse writes with this SQLSTATE.
    private func refuse(with state: String) throws {
        _ = try administrator.rows(
            """
            CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION ''nothing is taken'' USING ERRCODE = ''\(state)''; END'
            """)
        _ = try administrator.rows(
            "CREATE TRIGGER refusing BEFORE INSERT OR UPDATE ON heads FOR EACH ROW EXECUTE FUNCTION refuse()")
    }

    private func end(_ trouble: Trouble) throws {
        switch trouble {
        case .full, .readOnly: _ = try administrator.rows("DROP TRIGGER refusing ON heads")
        case .locked: administrator.rollBack()
        }
    }

    @Test(
        "a full, read-only or locked database leads to no acknowledgement, and later uploads are stored",
        arguments: Trouble.allCases)
    func takesNothing(_ trouble: Trouble) throws {
        let writer = try database.writer(as: 1)
        var author = Author(1)
        let (first, second) = (try author.write(2), try author.write(3))
        #expect(writer.upload(first).seqs == [2])
        try begin(trouble)
        for _ in 0..<2 {
            let outcomes = writer.upload(second)
            let answers = outcomes.acks
            #expect(answers.map(\.seq) == [2] && answers.map(\.stop) == [trouble.code])
            #expect(outcomes.pushes.isEmpty)
            // Each attempt waits for the lock again, so one is enough.
            if trouble == .locked { break }
        }
        try end(trouble)
        let outcomes = writer.upload(second)
        #expect(outcomes.seqs == [5] && outcomes.pushes.map(\.lastSeq) == [5])
        let reader = try database.open()
        #expect(try reader.read { try $0.logs() } == writer.groups)
        #expect(try reader.check().problems == [])
    }

    /// Reads everything that other servers have changed.
    private func news(_ reader: NewsReader, at seconds: Int64) throws -> StoreNews {
        var news = StoreNews()
        var isMore = true
        while isMore {
            let found = try reader.read(at: .zero + .seconds(seconds))
            news.formUnion(found.news)
            isMore = found.isMore
        }
        return news
    }

    /// Makes each commit that changes a log wait until the administrator releases a lock.
    private func holdCommits() throws {
        _ = try administrator.rows(
            """
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN
                    PERFORM set_config(''lock_timeout'', ''0'', true);
                    IF NEW.logs <> ''{}'' THEN PERFORM pg_advisory_xact_lock_shared(7); END IF;
                    RETURN NULL;
                END'
            """)
        _ = try administrator.rows(
            """
            CREATE CONSTRAINT TRIGGER holding AFTER INSERT ON news DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION hold()
            """)
        _ = try administrator.rows("SELECT pg_advisory_lock(7)")
    }

    /// Selects the sessions that wait for the administrator's lock in this database, because the view has the
    /// sessions of all databases.
    private static let held = """
        FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """

    private func isHeld() throws -> Bool {
        try administrator.rows("SELECT pid \(TroubledDatabaseTests.held)").first != nil
    }

    @Test(
        "the late result of a commit with a lost answer is found, and told to laptops and other servers",
        arguments: [true, false])
    func late(isKept: Bool) throws {
        let (one, other) = (
            try NewsReader(at: address, place: "one", now: .zero),
            try NewsReader(at: address, place: "other", now: .zero)
        )
        let store = try PostgreSQLServerStore(
            at: address, access: .existing, server: one.server, patience: .seconds(10))
        let writer = try LogWriter(on: store, follows: true)
        var author = Author(1)
        let uploads = [try author.write(2), try author.write(3)]
        // The writer's thread makes this request once a second.
        func look() -> [CommitOutcome] { writer.batches([.shared(.news(StoreNews(), for: nil))]) }
        // On a busy machine, this commit may be too slow as well, so it is repeated.
        while writer.upload(uploads[0]).seqs != [2] {}
        #expect(try news(other, at: 0) == StoreNews(logs: [number]))
        try holdCommits()
        // On a slow machine the answer is lost before the commit begins. Then nothing is stored, and the
        // upload is repeated.
        repeat {
            #expect(writer.upload(uploads[1]).seqs == [2])
            while try writer.lacksNews && !isHeld() { _ = look() }
        } while !writer.lacksNews
        for _ in 0..<3 {
            #expect(look().pushes.isEmpty && writer.lacksNews)
            #expect(try news(other, at: 1).isEmpty)
        }
        // Other servers stop waiting for the commit's number.
        var heard = StoreNews()
        var time: SharedInstant = 5
        while heard.isEmpty {
            let sighting = Sighting(time: time, connectedSince: 5)
            _ = writer.batches([.note([ServerFixture.member: sighting], greatestServed: 0)])
            heard = try news(other, at: 2)
            time = time + .seconds(1)
        }
        #expect(heard == StoreNews(rosters: [number]))
        _ = try administrator.rows("UPDATE news SET written = written - interval '61 s'")
        #expect(try news(other, at: 63) == StoreNews(isAll: true))
        if !isKept {
            _ = try administrator.rows("SELECT pg_terminate_backend(pid) \(TroubledDatabaseTests.held)")
        }
        _ = try administrator.rows("SELECT pg_advisory_unlock(7)")
        var pushed: [UInt64] = []
        while writer.lacksNews { pushed += look().pushes.map(\.lastSeq) }
        #expect(pushed == (isKept ? [5] : []))
        #expect(try news(other, at: 64) == StoreNews(logs: isKept ? [number] : []))
        var again: [CommitOutcome] = []
        repeat { again += look() + writer.upload(uploads[1]) } while again.acks.last?.seq != 5
        #expect(again.pushes.map(\.lastSeq) == (isKept ? [] : [5]))
        let reader = try database.open()
        #expect(try reader.read { try $0.logs() } == writer.groups)
        #expect(try news(other, at: 65) == StoreNews(logs: isKept ? [] : [number]))
        // A reader that begins now finds no number missing.
        let late = try NewsReader(at: address, place: "late", now: .zero)
        #expect(try news(late, at: 0).isEmpty && news(late, at: 61).isEmpty)
    }

    @Test("events that no server has announced are announced by the server that gets them again")
    func broughtAgain() throws {
        let (one, other) = (
            try NewsReader(at: address, place: "one", now: .zero),
            try NewsReader(at: address, place: "other", now: .zero)
        )
        let writer = try database.writer(as: one.server)
        // This server ended before it could tell others of its events, which are in the store.
        let gone = try database.writer()
        var author = Author(1)
        let segment = try author.write(2)
        #expect(gone.upload(segment).seqs == [2])
        #expect(try news(other, at: 1).isEmpty)
        let outcomes = writer.upload(segment)
        #expect(outcomes.seqs == [2])
        #expect(outcomes.pushes.map(\.lastSeq) == [2])
        #expect(try news(other, at: 2) == StoreNews(logs: [database.number]))
        let rows = try administrator.rows("SELECT count(*)::bigint FROM segments")
        #expect(rows.first?[0] as Int64? == 1)
    }

    @Test("requests of a device that another server is revoking have no effect", arguments: 1...2)
    func shutOutAsItAsks(groups count: Int) throws {
        // With a second group, the batch stores both groups together.
        let other = try #require(try database.open().addGroups(1).first)
        let (own, others) = (try Author(1).written(2), try Author(2, group: other.group).written(2))
        var requests: [WriterRequest] = [
            .merge(own, ServerFixture.group, by: ServerFixture.member, from: 1)
        ]
        if count == 2 { requests.append(.merge(others, other.group, by: other.device, from: 2)) }
        let asked = try database.open().write { transaction in
            try transaction.revokeDevice(ServerFixture.member, inGroup: number, now: ServerFixture.now)
            let asked = ThreadTask { [address = database.address, requests] in
                try LogWriter(on: PostgreSQLServerStore(at: address, access: .existing))
                    .batches(requests)
            }
            #expect(try database.administrator.waitsForLocks(1) { asked.isOver })
            #expect(!asked.isOver)
            return asked
        }
        let outcomes = try asked.value()
        #expect(outcomes.answers.contains { $0.ended == 1 })
        #expect(outcomes.acks.count == count - 1)
        #expect(try database.open(as: 3).read { try $0.lastSeq(of: own.replica, in: number) } == 0)
    }

    @Test("several servers accept the same revocation at once, without a repetition")
    func toldAtOnce() throws {
        let tallies = try Meeting.run(3) { [address = database.address] index, meet in
            let store = try PostgreSQLServerStore(at: address, access: .existing, server: Int64(index + 1))
            let writer = try LogWriter(on: store, follows: true)
            meet()
            return try (0..<20).flatMap { round in
                let entry = RosterEntry(device: try digest(number: 100 + round), isRevoked: true)
                return writer.batches([.ask(.roster([entry]), ServerFixture.group, from: 1)])
                    .map(\.tally)
            }
        }.joined()
        #expect(tallies.allSatisfy { $0.problem == nil && $0.failures == 0 })
        let devices = try database.open().read { try $0.devices(of: number) }
        #expect(devices.count { $0.revoked != nil } == 20)
    }

    @Test("if a group's rows are locked, others' uploads are stored, and that group is told to try again")
    func heldGroup() throws {
        let others = try database.open().addGroups(3)
        let writer = try database.writer(as: 1)
        var author = Author(1)
        let uploads = [try author.write(2), try author.write(2)]
        #expect(writer.upload(uploads[0]).seqs == [2])
        try database.administrator.begin(.writing)
        _ = try database.administrator.rows("SELECT 1 FROM heads WHERE group_number = $1 FOR UPDATE", number)
        let requests = try others.map { other in
            WriterRequest.merge(
                try Author(1, group: other.group).written(3), other.group, by: other.device, from: 1)
        }
        let outcomes = writer.batches(
            [.merge(uploads[1], ServerFixture.group, by: ServerFixture.member, from: 9)] + requests)
        let answers = outcomes.acks
        #expect(answers.filter { $0.stop == nil }.map(\.seq) == [3, 3, 3])
        #expect(answers.filter { $0.stop != nil }.map(\.seq) == [2])
        #expect(answers.compactMap(\.stop) == [.internal])
        database.administrator.rollBack()
        #expect(writer.upload(uploads[1]).seqs == [4])
        #expect(try database.open(as: 3).check().problems == [])
        #expect(try database.writer(as: 4).groups == writer.groups)
    }

    @Test("if all groups' rows are locked, the writer gives up before it has waited for each")
    func allHeld() throws {
        let groups = try database.open().addGroups(20)
        let writer = try database.writer(as: 1)
        var authors = groups.map { Author(1, group: $0.group) }
        func requests() throws -> [WriterRequest] {
            try groups.indices.map { place in
                .merge(try authors[place].write(1), groups[place].group, by: groups[place].device, from: 1)
            }
        }
        _ = writer.batches(try requests())
        try database.administrator.begin(.writing)
        _ = try database.administrator.rows("SELECT 1 FROM heads FOR UPDATE")
        let outcomes = writer.batches(try requests())
        #expect(outcomes.stops == groups.map { _ in .internal })
        // The writer gave up before it had tried each group.
        #expect(outcomes.map(\.tally).allSatisfy { $0.problem?.isBusy == true })
        database.administrator.rollBack()
    }

    @Test("the database ends a server that stands still within a batch, and keeps nothing of the batch")
    func standsStill() throws {
        let other = try #require(try database.open().addGroups(1).first)
        var author = Author(1)
        let (first, firstHead) = try author.segment(2)
        let meeting = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        let still = ThreadTask { [address = database.address, number = database.number] in
            let store = try PostgreSQLServerStore(at: address, access: .existing, server: 1)
            return Result {
                try store.write { transaction in
                    try transaction.addSegment(first, through: firstHead, group: number)
                    // This query makes sure that the segment has reached the database.
                    _ = try transaction.lastSeq(of: first.replica, in: number)
                    meeting.signal()
                    goesOn.wait()
                }
            }
        }
        meeting.wait()
        let writer = try database.writer(as: 2)
        let requests: [WriterRequest] = [
            .merge(first, ServerFixture.group, by: ServerFixture.member, from: 1),
            .merge(try Author(1, group: other.group).written(3), other.group, by: other.device, from: 2),
        ]
        // The other group's events are stored at once, the events of the locked group once the database
        // releases the lock.
        var acknowledged: [UInt64] = writer.batches(requests).seqs
        #expect(acknowledged.contains(3) && !acknowledged.contains(2))
        while !acknowledged.contains(2) {
            acknowledged += writer.batches([requests[0]]).seqs
        }
        goesOn.signal()
        guard case .failure = try still.value() else {
            Issue.record("what it wrote was kept")
            return
        }
        #expect(try database.open(as: 3).read { try $0.logs() } == writer.groups)
        #expect(try database.open(as: 3).check().problems == [])
    }

    /// Sets the database back to its content after the first upload.
    private func setBack(to segment: Segment, _ head: ReplicaHead) throws {
        _ = try database.administrator.rows("DELETE FROM segments WHERE first_seq > 1")
        _ = try database.administrator.rows(
            "UPDATE heads SET seq = $1, stamp = $2, chain = $3", segment.lastSeq, head.stamp,
            head.head.chain.bytes)
    }

    /// Returns the groups that are reported as set back. The server closes their connections, so that the
    /// laptops connect again.
    private func setBack(_ outcomes: [CommitOutcome]) -> [GroupID] {
        outcomes.answers.compactMap { if case .setBack(let log) = $0 { log.group } else { nil } }
    }

    @Test("when everything is read again, groups with lost rows begin again, and others don't")
    func readAnew() throws {
        let writer = try database.writer()
        let other = GroupID(high: 7, low: 7)
        try database.open().write { transaction in
            try transaction.addGroupWithEpoch(other, now: ServerFixture.now)
        }
        var author = Author(1)
        let (first, head) = try author.segment(2)
        _ = writer.upload(first)
        let second = try author.write(3)
        #expect(writer.upload(second).seqs == [5])
        try setBack(to: first, head)
        // The writer reads everything again. The other group has lost no rows.
        let outcomes = writer.batches([.shared(.news(StoreNews(isAll: true), for: nil))])
        #expect(setBack(outcomes) == [ServerFixture.group])
        // The laptop uploads it again.
        let again = writer.upload(second)
        #expect(again.seqs == [5] && again.pushes.map(\.lastSeq) == [5])
        let found = try database.open()
        #expect(try found.read { try $0.logs() } == writer.groups)
        #expect(try found.check().problems == [])
    }

    @Test("an upload that follows lost events isn't stored, and the group begins again")
    func followedOn() throws {
        let writer = try database.writer()
        var author = Author(1)
        let (first, head) = try author.segment(2)
        _ = writer.upload(first)
        _ = writer.upload(try author.write(3))
        try setBack(to: first, head)
        // This upload follows the lost one.
        let outcomes = writer.upload(try author.write(1))
        #expect(setBack(outcomes) == [ServerFixture.group])
        #expect(outcomes.seqs == [2])
        #expect(outcomes.pushes.isEmpty)
    }

    @Test("a group that the database lacks counts as deleted")
    func withoutGroup() throws {
        let writer = try database.writer()
        let other = GroupID(high: 7, low: 7)
        try database.open().write { transaction in
            try transaction.addGroupWithEpoch(other, now: ServerFixture.now)
        }
        _ = writer.batches([.shared(.news(StoreNews(isAll: true), for: nil))])
        #expect(Set(writer.groups.keys) == [ServerFixture.group, other])
        for table in ["epochs", "rosters"] {
            _ = try database.administrator.rows(
                "DELETE FROM \(table) WHERE group_number = (SELECT number FROM groups WHERE id = $1)",
                other.bytes)
        }
        _ = try database.administrator.rows("DELETE FROM groups WHERE id = $1", other.bytes)
        let outcomes = writer.batches([.shared(.news(StoreNews(isAll: true), for: nil))])
        let here = outcomes.answers.compactMap {
            if case .reloaded(_, let groups) = $0 { groups } else { nil }
        }
        #expect(here == [[ServerFixture.group]] && Set(writer.groups.keys) == [ServerFixture.group])
    }

    @Test("a writer notices by itself that a standby has taken over, also for groups without presses")
    func takenOver() throws {
        let primary = try TestPostgreSQL()
        let name = try primary.makeDatabaseName()
        let address = try primary.address(of: name)
        try ServerFixture.fill(address)
        let standby = try TestPostgreSQL(standbyOf: primary, waits: false)
        let both = try #require(PostgreSQLAddress(primary.addressText(of: name, or: standby)))
        let writer = try LogWriter(
            on: PostgreSQLServerStore(at: both, access: .existing, server: 1), follows: true)
        var author = Author(1)
        #expect(writer.upload(try author.write(2)).seqs == [2])
        while try standby.eventCount(in: name) < 2 {}
        try standby.stop()
        let second = try author.write(3)
        #expect(writer.upload(second).seqs == [5])
        try primary.stop()
        try standby.start()
        try standby.promote()
        // Does only the work that the writer does once a second.
        func note() -> [CommitOutcome] {
            writer.batches([.note([:], greatestServed: .zero, acceptances: nil)])
        }
        #expect(setBack(note()) == [ServerFixture.group] && setBack(note()).isEmpty)
        #expect(writer.upload(second).seqs == [5])
        #expect(try standby.eventCount(in: name) == 5)
    }
}

extension Author {
    /// Returns the next `count` events, without changing this author.
    fileprivate func written(_ count: Int) throws -> Segment {
        var copy = self
        return try copy.write(count)
    }
}
