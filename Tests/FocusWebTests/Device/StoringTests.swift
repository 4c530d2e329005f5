import FocusDevice
import FocusPage
import FocusText
import MemoryBrowser
import SQLiteKit
import TestTraits
import Testing

@testable import FocusWeb

/// A device in a browser that stores nothing, or not everything.
@Suite("A browser's storage", .ends(within: .seconds(60)))
struct StoringTests {
    private static let start = #"{"press":"start","label":"Write"}"#

    /// Returns a browser with a log of some presses.
    private static func makeUsed() throws -> TestBrowser {
        let browser = TestBrowser(1)
        browser.begin()
        for body in [start, #"{"press":"pause"}"#, #"{"press":"stop"}"#] {
            browser.advance(by: 60)
            try browser.press(body)
        }
        return browser
    }

    @Test("each damaged record is noticed, and so is each missing one")
    func damage() throws {
        let used = try Self.makeUsed()
        for key in used.database.keys {
            let value = try #require(used.database.records[key])
            for place in [0, value.count / 2, value.count - 1] {
                var damaged = value
                damaged[place] ^= 0x10
                var database = used.database
                database.replace(key, by: damaged)
                #expect(!TestBrowser(2, database: database).begin(), "\(key) at \(place)")
            }
            var database = used.database
            database.replace(key, by: nil)
            #expect(!TestBrowser(2, database: database).begin(), "\(key) missing")
        }
    }

    @Test("a transaction that was stored in part is noticed, whichever record is older")
    func mixed() throws {
        let used = try Self.makeUsed()
        var before = BrowserDatabase()
        for changes in used.changes.dropLast() { before.apply(changes) }
        var differing = 0
        for key in used.database.keys where before.records[key] != used.database.records[key] {
            differing += 1
            var database = used.database
            database.replace(key, by: before.records[key])
            let browser = TestBrowser(2, database: database)
            #expect(!browser.begin(), "\(key) is older")
        }
        #expect(differing > 1)
    }

    @Test("a damaged device answers with the reason, changes nothing, and gives the log as far as it can")
    func reason() throws {
        let used = try Self.makeUsed()
        let log = try used.log()
        var database = used.database
        database.replace(StoredRecordName.sum.key, by: nil)
        #expect(StoredContents(database.encoded).damage == .mixed)
        let browser = TestBrowser(2, database: database)
        browser.begin()
        let answer = try browser.ask("POST", "/press", Self.start)
        #expect(answer.status == 503)
        #expect(answer.member("error")?.contains("older than others") == true, "\(answer.text)")
        #expect(answer.text.contains("Nothing was changed"))
        #expect(browser.changes.isEmpty)
        #expect(try browser.log() == log)

        let first = StoredRecordName.block(path: "/device/log.db", index: 0).key
        database.replace(first, by: [UInt8](repeating: 0, count: 4096 + 8))
        #expect(StoredContents(database.encoded).damage == .records(1))
        let worse = TestBrowser(3, database: database)
        worse.begin()
        let unreadable = try worse.ask("GET", "/log.jsonl")
        #expect(unreadable.status == 503)
        #expect(unreadable.member("error")?.contains("can't be read") == true, "\(unreadable.text)")
    }

    @Test("a fault that only SQLite can see is noticed")
    func database() throws {
        let used = try Self.makeUsed()
        var database = used.database
        var checks = StoredContents(database.encoded).checks
        let first = StoredRecordName.block(path: "/device/log.db", index: 0)
        let junk = [UInt8](repeating: 7, count: 4096)
        checks.set(first, to: first.check(of: junk))
        database.replace(first.key, by: junk + first.check(of: junk).littleEndianBytes)
        let sum = checks.sum.littleEndianBytes
        database.replace(
            StoredRecordName.sum.key, by: sum + StoredRecordName.sum.check(of: sum).littleEndianBytes)
        #expect(StoredContents(database.encoded).damage == nil)
        let browser = TestBrowser(2, database: database)
        #expect(!browser.begin())
        #expect(browser.beginResult == .unusable)
        let answer = try browser.ask("POST", "/press", Self.start)
        #expect(answer.member("error")?.contains("is damaged") == true, "\(answer.text)")
    }

    @Test("what a newer version has stored isn't damaged, and stays as it is")
    func newer() throws {
        var database = try Self.makeUsed().database
        let storage = BrowserStorage(StoredContents(database.encoded))
        do {
            let log = try DatabaseConnection(
                path: RunningDevice.home.database, on: .virtual(storage.disk), access: .readWrite,
                failing: { (failure) -> DatabaseFailure in failure })
            try log.execute("PRAGMA user_version=99")
        }
        database.apply(try #require(storage.collectChanges()).records)
        let browser = TestBrowser(2, database: database)
        #expect(!browser.begin())
        #expect(browser.beginResult == .newer)
        let answer = try browser.ask("POST", "/press", Self.start)
        #expect(answer.status == 503)
        #expect(answer.member("error")?.contains("Reload this page") == true, "\(answer.text)")
        #expect(browser.changes.isEmpty)
    }

    @Test("a database with a write-ahead log, as older versions stored it, loses the log and no event")
    func writeAheadLog() throws {
        let used = try Self.makeUsed()
        let events = try used.log()
        var database = used.database
        let storage = BrowserStorage(StoredContents(database.encoded))
        let log = try DatabaseConnection<DatabaseFailure>(
            path: "/device/log.db", on: .virtual(storage.disk), access: .readWrite, failing: { $0 })
        try log.useWriteAheadLog()
        try log.execute("UPDATE replicas SET acknowledged = acknowledged")
        database.apply(try #require(storage.collectChanges()).records)
        // Closing the connection would remove the log.
        let isInTransaction = log.isInTransaction
        #expect(!isInTransaction)
        let files = { (database: BrowserDatabase) in
            database.keys.filter { !$0.contains(0) }.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(files(database) == ["/device/log.db", "/device/log.db-wal"])

        let browser = TestBrowser(2, database: database)
        #expect(browser.begin())
        #expect(try browser.log() == events)
        try browser.press(#"{"press":"resume"}"#)
        #expect(files(browser.database) == ["/device/log.db"])
        let again = TestBrowser(3, database: browser.database)
        #expect(again.begin())
        #expect(try again.log() == browser.log())
    }

    @Test("changes have the length of a file only if it is another one, and are whole all the same")
    func lengths() throws {
        var database = try Self.makeUsed().database
        let storage = BrowserStorage(StoredContents(database.encoded))
        let log = try DatabaseConnection<DatabaseFailure>(
            path: "/device/log.db", on: .virtual(storage.disk), access: .readWrite, failing: { $0 })
        try log.execute("PRAGMA journal_mode=MEMORY")
        let key = StoredRecordName.length(path: "/device/log.db").key
        let beginning = [StoredRecord.Kind.length.rawValue, UInt8(key.count), 0] + key
        for (statements, isOther) in [
            ("PRAGMA application_id = 1", false),
            ("CREATE TABLE large AS SELECT zeroblob(100000) AS text", true),
            ("PRAGMA application_id = 2", false), ("DROP TABLE large; VACUUM", true),
        ] {
            try log.execute(statements)
            let changes = try #require(storage.collectChanges())
            storage.markStored(upTo: changes.number)
            database.apply(changes.records)
            let hasLength = changes.records.indices.contains {
                changes.records[$0...].starts(with: beginning)
            }
            #expect(hasLength == isOther, "\(statements)")
            #expect(StoredContents(database.encoded).damage == nil, "\(statements)")
        }
        let isInTransaction = log.isInTransaction
        #expect(!isInTransaction)
    }

    @Test("a transaction that is being written is stored only when it is complete")
    func openTransaction() throws {
        let used = try Self.makeUsed()
        let storage = BrowserStorage(StoredContents(used.database.encoded))
        let log = try DatabaseConnection<DatabaseFailure>(
            path: "/device/log.db", on: .virtual(storage.disk), access: .readWrite, failing: { $0 })
        try log.execute("PRAGMA journal_mode=MEMORY; PRAGMA cache_size=1")
        try log.transaction(.immediate) { () throws(DatabaseFailure) in
            try log.execute("CREATE TABLE large (text BLOB)")
            let text = [UInt8](repeating: 1, count: 5_000)
            for _ in 1...20 { try log.run("INSERT INTO large VALUES (?)", text) }
            // The cache is too small, so SQLite has written blocks already.
            #expect(storage.hasChanges)
            #expect(storage.collectChanges()?.number == nil)
        }
        #expect(storage.collectChanges()?.number == 1)
    }

    @Test("a fault that only a check of the whole database finds is noticed a while after the first state")
    func checksLater() throws {
        var database = try Self.makeUsed().database
        let storage = BrowserStorage(StoredContents(database.encoded))
        let log = try DatabaseConnection<DatabaseFailure>(
            path: "/device/log.db", on: .virtual(storage.disk), access: .readWrite, failing: { $0 })
        try log.execute("UPDATE replicas SET stamp = stamp + 1 WHERE seq > 0")
        database.apply(try #require(storage.collectChanges()).records)

        let browser = TestBrowser(2, database: database)
        #expect(browser.begin())
        browser.device?.follow(1, zone: "", at: browser.time)
        try browser.run()
        #expect(browser.states[1]?.isEmpty == false)
        #expect(!browser.isUnusable)
        browser.advance(by: 5)
        try browser.run()
        #expect(browser.isUnusable)
        let answer = try browser.ask("POST", "/press", Self.start)
        #expect(answer.status == 503)
        #expect(answer.member("error")?.contains("is damaged") == true, "\(answer.text)")
        // Meanwhile a press might have been stored.
        #expect(!answer.text.contains("Nothing was changed"))
        #expect(try browser.log().contains("Write"))
    }

    @Test("what a full browser can't store isn't done, and the rest can still be read")
    func quota() throws {
        let browser = try Self.makeUsed()
        let log = try browser.log()
        browser.device?.follow(1, zone: "", at: browser.time)
        try browser.run()
        browser.stores = false
        let id = browser.send("POST", "/press", Self.start)
        browser.failStoring(.full)
        let answer = try #require(browser.answers[id])
        #expect(answer.status == 503)
        #expect(answer.member("error")?.contains("no room") == true, "\(answer.text)")
        browser.stores = true
        let stored = browser.changes.count
        #expect(try browser.log() == log)
        #expect(browser.states[1]?.last?["status"]?.text == "stopped")
        #expect(try browser.ask("POST", "/press", Self.start).status == 503)
        // It doesn't connect either.
        browser.device?.resumed(at: browser.time)
        try browser.run()
        #expect(browser.requests.last == .disconnect)
        #expect(browser.changes.count == stored)

        let again = TestBrowser(2, database: browser.database)
        #expect(again.begin())
        #expect(try again.log() == log)
    }

    @Test("a browser that can't even store a new log says so")
    func quotaAtFirst() throws {
        let browser = TestBrowser(1)
        browser.stores = false
        #expect(browser.begin())
        browser.failStoring(.other)
        browser.stores = true
        let answer = try browser.ask("POST", "/press", Self.start)
        #expect(answer.status == 503)
        #expect(answer.member("error")?.contains("no room") == true, "\(answer.text)")
    }

    @Test("a device that another tab has taken over ends with a sentence")
    func otherOwner() throws {
        let browser = try Self.makeUsed()
        try browser.run()
        browser.stores = false
        let id = browser.send("POST", "/press", Self.start)
        browser.failStoring(.otherOwner)
        #expect(browser.answers[id]?.status == 503)
        #expect(browser.answers[id]?.member("error")?.contains("taken over") == true)
        let stored = browser.changes.count
        let later = try browser.ask("GET", "/labels.json")
        #expect(later.member("error")?.contains("taken over") == true)
        browser.advance(by: 3_600)
        browser.device?.resumed(at: browser.time)
        #expect(browser.changes.count == stored)
        #expect(browser.requests.last == .disconnect)
        #expect(browser.deadline == nil)
    }
}
