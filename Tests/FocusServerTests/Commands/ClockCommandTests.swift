import CommandLineKit
import FocusCore
import FocusText
import Foundation
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerFiles
@testable import FocusServerStore
@testable import FocusWriter

@Suite("The clock, for operators") struct ClockCommandTests {
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        _ = await run("init", "--address", "one")
    }

    private func run(_ words: String...) async -> CommandOutcome {
        await CommandOutcome(words + ["--data", folder.data.path])
    }

    @Test("a clock that is behind the time served is shown, and accepted once") func accepting() async throws
    {
        let sure = await run("clock").data
        #expect(sure.contains("The server is sure of it.") && sure.contains("No time has been served yet"))
        #expect(await run("clock", "accept").status == .notNow)
        let served = ServerClock.wall() + Duration.seconds(3_600)
        try SQLiteServerStore(at: folder.data.store, access: .readWrite).write {
            try $0.raiseGreatestServed(to: served, acceptances: nil)
        }
        let unsure = await run("clock")
        #expect(unsure.status == .done)
        #expect(unsure.data.contains("The server isn't sure of it: it is 3"))
        #expect(unsure.data.contains("s behind the time served before."))
        #expect(unsure.messages.contains("focusd clock accept --data \(folder.data.path)\n"))
        let more = "it takes nothing new. This says more: focusd clock --data \(folder.data.path)\n"
        #expect(await run("status").data.contains(more))
        let document = try JSON(parsing: await run("clock", "--json").data.utf8)
        #expect(document["sure"] == .bool(false))
        #expect(document["greatestServed"] == .number("\(served.milliseconds)"))
        #expect(await run("clock", "accept").status == .done)
        #expect(await run("clock").data.contains("The server is sure of it."))
        #expect(await run("clock", "accept").status == .notNow)
        let log = try String(contentsOfFile: folder.data.audit, encoding: .utf8)
        #expect(log.split(separator: "\n").count { $0.contains("event=clock-accepted") } == 1)
    }

    @Test("a server that runs and can store nothing says so in its status") func storeTrouble() async throws {
        let lock = try DataLock(folder.data)
        #expect(await !run("status").data.contains("It takes nothing new"))
        var notes = RunningNotes()
        notes.storeTrouble = "The disk with the store is full: make room on it."
        DataLock.record(notes, folder.data)
        let told = "It takes nothing new. The disk with the store is full: make room on it.\n"
        #expect(await run("status").data.contains(told))
        lock.letGo()
    }

    @Test("what a running server says of itself is read as it was written") func notes() {
        var notes = RunningNotes()
        #expect(RunningNotes(text: notes.text) == notes)
        notes.metrics = "127.0.0.1:7854"
        #expect(RunningNotes(text: notes.text) == notes)
        notes.clockTrouble = "has jumped back by 180 s"
        #expect(RunningNotes(text: notes.text) == notes)
        notes.metrics = nil
        #expect(RunningNotes(text: notes.text) == notes)
        #expect(RunningNotes(text: "") == RunningNotes())
        notes.storeTrouble = "The disk with the store is full: make room on it."
        #expect(RunningNotes(text: notes.text) == notes)
        // Notes written by an older focusd.
        #expect(RunningNotes(text: "127.0.0.1:7854").metrics == "127.0.0.1:7854")
    }
}
