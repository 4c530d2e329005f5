import ClientSupport
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusNet
import Foundation
import Synchronization
import SystemKit
import TestSupport
import Testing

@testable import FocusAgent

@Suite("The server of focus share, if the agent starts it")
final class SharedServerKeeperTests {
    private let folder = TemporaryHome()
    private let home: Home
    private let time: VirtualTime
    private let starts = Starts()
    /// Whether each server ends at once.
    private var endsAtOnce = true
    private var events: [String] = []

    private final class Starts: Sendable {
        private let made = Mutex(0)

        var count: Int { made.withLock { $0 } }

        func add() { made.withLock { $0 += 1 } }
    }

    init() throws {
        home = Home(folder: "\(folder.path)/data")
        time = VirtualTime(TestContext(home: folder.path, now: 1_763_661_600_000))
        let program = "\(folder.path)/bin/focusd"
        try WholeFile.replace(program, with: "")
        chmod(program, 0o700)
        try SharedServer(home).store(SharedServer.Record(port: 7853, isOn: true))
    }

    private func keeper() -> SharedServerKeeper {
        let programs = SharingPrograms(
            focus: { [path = folder.path] in "\(path)/bin/focus" },
            run: { _ throws(SystemError) in ProgramResult(status: 1, text: "") },
            start: { [starts] _, _ throws(SystemError) in
                starts.add()
                return 4711
            },
            hasUnits: false, hosts: { [] }, answers: { _, _ in false }, isFree: { _ in true },
            reach: { _ in .others }, ufwSettings: "")
        return SharedServerKeeper(
            ServerSharing(home, Environment(["HOME": folder.path]), programs), time: time,
            dice: SeededGenerator(seed: 1), hasEnded: { [unowned self] _ in endsAtOnce }
        ) { [unowned self] event in events.append("\(event)") }
    }

    /// Checks every 5 seconds for a time. Returns the number of servers that were started.
    private func countStarts(by keeper: SharedServerKeeper, within length: Duration) -> Int {
        let (before, end) = (starts.count, time.now() + length)
        while time.now() < end {
            keeper.check()
            time.pass(.seconds(5))
        }
        return starts.count - before
    }

    @Test("if it ends at once each time, the waits grow to a minute; once it has run, they begin again")
    func backingOff() {
        let keeper = keeper()
        // With waits of half a second it would be 60.
        #expect((8..<40).contains(countStarts(by: keeper, within: .seconds(600))))
        #expect(events.count { $0.contains("EndedSoon") } >= 8)
        endsAtOnce = false
        #expect(countStarts(by: keeper, within: .seconds(180)) <= 1)
        endsAtOnce = true
        let reports = events.count { $0.contains("EndedSoon") }
        let before = starts.count
        keeper.check()
        #expect(starts.count == before + 1, "a server that ran is started again at once")
        #expect(events.count { $0.contains("EndedSoon") } == reports)
        #expect(countStarts(by: keeper, within: .seconds(60)) >= 3)
    }

    @Test("it isn't started after sharing was ended")
    func off() throws {
        let keeper = keeper()
        keeper.check()
        try SharedServer(home).store(SharedServer.Record(port: 7853, isOn: false))
        #expect(countStarts(by: keeper, within: .seconds(60)) == 0)
        #expect(!events.contains { $0.contains("EndedSoon") }, "it was ended, not broken")
    }

    @Test("the log that it appends to stays short")
    func log() throws {
        let log = SharedServer(home).log
        try WholeFile.replace(log, with: String(repeating: "a line\n", count: 300_000))
        keeper().check()
        let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0
        #expect((1..<LogTrimmer.longest).contains(size))
    }
}
