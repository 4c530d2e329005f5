import ClientSupport
import CommandLineKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusStore
import TestSupport
import Testing

@Suite("Noticing what happens")
final class HappeningDetectorTests {
    /// The hash of another laptop's key.
    private let othersKey = String(repeating: "ab", count: 32)
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let time: VirtualTime
    private var isCaughtUp = true
    private var told: [[Happening]] = []

    init() {
        // The first instant is 19:00 in Berlin.
        BerlinTime.set()
        time = VirtualTime(laptop)
    }

    private func watch() throws -> (HappeningDetector, Device) {
        let device = try Device(laptop.machine)
        let watch = HappeningDetector(device, time, isCaughtUp: { [unowned self] in isCaughtUp }) {
            [unowned self] in
            told.append($0)
        }
        try watch.refresh()
        return (watch, device)
    }

    private var kinds: [[Happening.Kind]] { told.map { $0.map(\.kind) } }

    /// Merges an event of another laptop into the log.
    private func merge(
        _ action: Action, seq: UInt64, _ device: Device, ago: Duration = 0
    ) throws {
        try device.merge(
            action, by: 0xF, seq: seq, at: device.now() - ago, counter: UInt16(seq), epoch: nil)
    }

    @Test("a phase's end is reported once when it comes, and nothing that came before")
    func phaseEnd() throws {
        _ = laptop.run("start")
        let (watch, _) = try watch()
        #expect(told.isEmpty)
        time.pass(.seconds(1_499))
        #expect(told.isEmpty)
        time.pass(.seconds(1))
        #expect(kinds == [[.phaseEnd, .phaseStart]])
        try watch.refresh()
        #expect(told.count == 1)
    }

    @Test("a laptop that leaves is reported once by its name; a revoked one isn't")
    func leaving() throws {
        let (watch, device) = try watch()
        let keys = ["b", "c"].map { String(repeating: $0, count: 64) }
        let digests = try keys.map { try #require(Digest(hexadecimal: $0)) }
        try merge(.device(name: "spare", key: keys[0]), seq: 1, device)
        try watch.refresh()
        #expect(kinds == [[.joined]])
        try merge(.revoke(digests[0]), seq: 2, device)
        try merge(.revoke(digests[1]), seq: 3, device)
        try watch.refresh()
        try watch.refresh()
        #expect(kinds == [[.joined], [.left]])
        #expect(told.last?.first?.cause == .other("spare"))
        #expect(told.last.flatMap { Notification($0) }?.title == "spare has left the group")
    }

    @Test(
        "a laptop that joins is reported by its shortened name",
        arguments: [
            ("", "another laptop has joined"),
            (String(repeating: "x", count: 200), String(repeating: "x", count: 31) + "… has joined"),
        ])
    func joining(name: String, title: String) throws {
        let (watch, device) = try watch()
        try merge(.device(name: name, key: othersKey), seq: 1, device)
        try watch.refresh()
        #expect(told.last.flatMap { Notification($0) }?.title == title)
    }

    @Test("entering another group reports nothing about the difference between the two sessions")
    func otherGroup() throws {
        _ = laptop.run("start Solo")
        let (watch, device) = try watch()
        try StagedServer(time).admit(device)
        _ = laptop.run("pause")
        try watch.refresh()
        #expect(told.isEmpty)
        _ = laptop.run("resume")
        try watch.refresh()
        #expect(kinds == [[.resume, .phaseStart]])
    }

    @Test(
        "a planned start is said to be planned; if it arrives when its time has come, that work begins or began",
        arguments: [(59, "Work begins"), (60, "Work began at 19:19")])
    func planned(seconds: Int, title: String) throws {
        let (watch, device) = try watch()
        try merge(.device(name: "sofa", key: nil), seq: 1, device)
        time.pass(.seconds(1_200))
        let begins = try device.now() - .seconds(seconds)
        try merge(.start(Action.Start(begins: begins)), seq: 2, device, ago: .seconds(600))
        try watch.refresh()
        #expect(kinds == [[.start, .phaseStart]])
        #expect(told.last.flatMap { Notification($0) }?.title == title)
        let run = try #require(try device.store.state().current?.id)
        try merge(.stop(run, at: nil), seq: 3, device)
        try watch.refresh()
        let later = try device.now() + .seconds(60)
        try merge(.start(Action.Start(after: run, begins: later)), seq: 4, device)
        try watch.refresh()
        #expect(told.last.flatMap { Notification($0) }?.title == "Planned by sofa")
    }

    @Test("own presses are reported as own, and other laptops' presses with their name")
    func pressers() throws {
        let (watch, device) = try watch()
        _ = laptop.run("start Write")
        try watch.refresh()
        #expect(kinds == [[.start, .phaseStart]])
        #expect(told.last?.first?.cause == .own)
        let run = try #require(try device.store.state().current?.id)
        try merge(.device(name: "home", key: othersKey), seq: 1, device)
        try watch.refresh()
        #expect(kinds.last == [.joined])
        #expect(told.last?.first?.cause == .other("home"))
        time.pass(.seconds(5))
        try merge(.pause(run, at: nil), seq: 2, device)
        try watch.refresh()
        #expect(kinds.last == [.pause])
        #expect(told.last?.first?.cause == .other("home"))
    }

    @Test(
        "another laptop's press is reported with its name, even beside a setting of this laptop",
        arguments: [1, 2])
    func presserBesideOwn(seconds: Int) throws {
        let (watch, device) = try watch()
        try merge(.device(name: "spare", key: othersKey), seq: 1, device)
        try watch.refresh()
        told = []
        time.pass(.seconds(10))
        // This laptop writes its setting before or after the other laptop's start is merged.
        if seconds == 2 { _ = laptop.run("set dailyGoal=10") }
        try merge(.start(Action.Start()), seq: 2, device, ago: 1000)
        if seconds == 1 { _ = laptop.run("set dailyGoal=10") }
        try watch.refresh()
        #expect(kinds == [[.start, .phaseStart]])
        #expect(told.first?.first?.cause == .other("spare"))
    }

    @Test("another laptop's press is reported with its name, even beside an undo of this laptop")
    func presserBesideUndo() throws {
        _ = laptop.run("start")
        let (watch, device) = try watch()
        let run = try #require(try device.store.state().current?.id)
        try merge(.device(name: "spare", key: othersKey), seq: 1, device)
        time.pass(.seconds(10))
        _ = laptop.run("stop")
        let stop = try #require(try device.store.state().lastChange?.id)
        try watch.refresh()
        told = []
        time.pass(.seconds(10))
        try merge(.skip(run, ordinal: 0, at: nil), seq: 2, device, ago: 1000)
        _ = try device.store.author(now: device.now()) { try $0.write(.undo(stop)) }
        try watch.refresh()
        #expect(kinds.flatMap { $0 }.contains(.start) || kinds.flatMap { $0 }.contains(.skip))
        #expect(told.first?.first?.cause == .other("spare"))
    }

    @Test("another laptop's undo is reported with what it took back")
    func undone() throws {
        _ = laptop.run("start")
        let (watch, device) = try watch()
        let run = try #require(try device.store.state().current?.id)
        try merge(.device(name: "home", key: othersKey), seq: 1, device)
        time.pass(.seconds(10))
        try merge(.pause(run, at: nil), seq: 2, device)
        let pause = try #require(try device.store.state().lastChange?.id)
        try watch.refresh()
        time.pass(.seconds(10))
        try merge(.undo(pause), seq: 3, device)
        try watch.refresh()
        #expect(kinds.last == [.resume])
        let notification = told.last.flatMap { FocusFront.Notification($0) }
        #expect(notification?.title == "Resumed by home" && notification?.body == "Took back the pause.")
    }

    @Test("while others' presses are on their way nothing is reported, and then only their result")
    func catchingUp() throws {
        _ = laptop.run("start")
        let (watch, device) = try watch()
        isCaughtUp = false
        let run = try #require(try device.store.state().current?.id)
        time.pass(.seconds(60))
        try merge(.device(name: "home", key: othersKey), seq: 1, device)
        try merge(.pause(run, at: nil), seq: 2, device)
        try watch.refresh()
        time.pass(.seconds(10))
        try merge(.stop(run, at: nil), seq: 3, device)
        #expect(told.isEmpty)
        isCaughtUp = true
        time.pass(.seconds(2))
        #expect(kinds == [[.stop, .joined]])
    }

    @Test("a session that ended by itself is reported with a command that backdates its stop")
    func leftAlone() throws {
        _ = laptop.run("set idleLimit=1h")
        _ = laptop.run("start")
        let (watch, _) = try watch()
        time.pass(.seconds(3 * 3_600))
        try watch.refresh()
        #expect(kinds.last == [.stop])
        let notification = FocusFront.Notification(try #require(told.last))
        #expect(notification?.title == "The session has ended")
        #expect(
            notification?.body
                == "Nobody has touched it for 1h. If you had left by then: focus stop --ago 1h")
        #expect(laptop.run("stop --ago 2h50m").output == "Work  25:00  (stopped)\n")
        #expect(laptop.run("log").output.contains(": 10m of focus time, 0 of 8 work phases\n"))
    }

    @Test(
        "a stop that comes hours late is reported with the removed phases, and undone without a question"
    )
    func lateStop() throws {
        _ = laptop.run("start Write")
        let (watch, device) = try watch()
        let run = try #require(try device.store.state().current?.id)
        try merge(.device(name: "home", key: othersKey), seq: 1, device)
        try watch.refresh()
        time.pass(.seconds(3 * 3_600))
        told = []
        try merge(.stop(run, at: nil), seq: 2, device, ago: 10_200_000)
        try watch.refresh()
        #expect(kinds == [[.stop]])
        let message =
            "home stopped the session as of 19:10: 5 work phases no longer count as completed. 'focus undo' brings that back."
        #expect(told.first?.first?.message == message)
        #expect(told.first.flatMap { FocusFront.Notification($0) }?.body == message)
        #expect(try device.store.history().journal.phaseCount == 1)
        #expect(
            laptop.run("status").messages == "focus: \(message)\n", "also for whoever missed the notification"
        )
        #expect(laptop.run("undo").status == .done)
        #expect(laptop.run("status").messages == "")
        #expect(try device.store.state().current?.id == run)
    }

    @Test("a late press is told of until it is taken back, and the remedy is named only while it works")
    func outdatedNotice() throws {
        _ = laptop.run("start")
        let (watch, device) = try watch()
        let run = try #require(try device.store.state().current?.id)
        try merge(.device(name: "home", key: othersKey), seq: 1, device)
        time.pass(minutes(2))
        try merge(.complete(run, ordinal: 0, at: nil), seq: 2, device)
        let completion = try #require(try device.store.state().lastChange?.id)
        try watch.refresh()
        time.pass(minutes(1))
        try merge(.undo(completion), seq: 3, device)
        try watch.refresh()
        let message = "home took back the 'done' as of 19:02: 1 work phase no longer counts as completed."
        #expect(laptop.run("status").messages == "focus: \(message) 'focus redo' brings that back.\n")
        try merge(.pause(run, at: nil), seq: 4, device)
        #expect(laptop.run("status").messages == "focus: \(message)\n")
        let undo = EventID(replica: completion.replica, seq: 3)
        try merge(.undo(undo), seq: 5, device)
        #expect(laptop.run("status").messages == "")
    }

    @Test("a name given offline to a session that was stopped before is reported as not applied")
    func lostLabel() throws {
        _ = laptop.run("start Write")
        let (watch, device) = try watch()
        let run = try #require(try device.store.state().current?.id)
        try merge(.device(name: "home", key: othersKey), seq: 1, device)
        time.pass(minutes(3))
        _ = laptop.run("pause")
        _ = laptop.run("label Omega")
        try watch.refresh()
        try merge(.stop(run, at: nil), seq: 2, device, ago: minutes(1))
        try watch.refresh()
        let message = "home stopped the session as of 19:02: the name 'Omega' was not applied."
        #expect(told.last?.last?.message == message)
        #expect(laptop.run("status").messages == "focus: \(message)\n")
    }

    @Test("a name and a completion that a stop of before undid are reported together")
    func lostLabelAndCompletion() throws {
        _ = laptop.run("start")
        let (watch, device) = try watch()
        let run = try #require(try device.store.state().current?.id)
        try merge(.device(name: "home", key: othersKey), seq: 1, device)
        time.pass(minutes(3))
        _ = laptop.run("label Omega")
        _ = laptop.run("done")
        try watch.refresh()
        time.pass(minutes(1))
        try merge(.stop(run, at: nil), seq: 2, device, ago: minutes(2))
        try watch.refresh()
        let message =
            "home stopped the session as of 19:02: 1 work phase no longer counts as completed. The name 'Omega' was not applied."
        #expect(told.last?.last?.message == "\(message) 'focus undo' brings that back.")
        #expect(laptop.run("log").output.contains("stopped"))
    }

    @Test("a name that a phase of a stopped session has isn't reported")
    func keptLabel() throws {
        _ = laptop.run("start Write")
        let (watch, device) = try watch()
        let run = try #require(try device.store.state().current?.id)
        try merge(.device(name: "home", key: othersKey), seq: 1, device)
        time.pass(minutes(3))
        try merge(.stop(run, at: nil), seq: 2, device)
        try watch.refresh()
        #expect(laptop.run("status").messages == "")
    }

    @Test("a late press that changes only the history is reported as a conflict, as is one that was resolved")
    func conflict() throws {
        _ = laptop.run("start Write")
        let (watch, device) = try watch()
        let run = try #require(try device.store.state().current?.id)
        try merge(.device(name: "home", key: othersKey), seq: 1, device)
        time.pass(minutes(86))
        _ = laptop.run("stop")
        time.pass(minutes(4))
        _ = laptop.run("start Read")
        time.pass(minutes(10))
        try watch.refresh()
        told = []
        try merge(.pause(run, at: nil), seq: 2, device, ago: minutes(90))
        try watch.refresh()
        #expect(kinds == [[.conflict]])
        let message = "home paused the session as of 19:10: 3 work phases no longer count as completed."
        #expect(told.first?.first?.message == message && told.first?.first?.cause == .time)
        #expect(laptop.run("status").messages == "focus: \(message)\n")

        try watch.reportConflict("Both pressed.")
        #expect(kinds == [[.conflict], [.conflict]])
        #expect(told.last?.first?.message == "Both pressed." && told.last?.first?.cause == .time)
        #expect(laptop.run("status").messages == "focus: Both pressed.\n")
    }
}

@Suite("Notifications")
struct NotificationTests {
    private func notification(_ log: String, _ words: [String] = []) throws -> FocusFront.Notification? {
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
        if !log.isEmpty { _ = laptop.run(log.split(separator: " ").map(String.init)) }
        let device = try Device(laptop.machine)
        let timer = TimerState(try device.store.state(), at: try device.now())
        return FocusFront.Notification(
            words.compactMap { Happening.Kind(rawValue: $0) }.map { kind in
                let isByTime = kind == .phaseEnd || kind == .phaseStart
                return Happening(kind, isByTime ? .time : .other("home"), activity: .work, timer)
            })
    }

    @Test("they say what happened, who did it, and what comes next")
    func words() throws {
        let end = try notification("start Write", ["phase-end", "phase-start"])
        #expect(end?.title == "Work is over")
        #expect(end?.body == "Work on Write, 25:00.")
        #expect(try notification("start", ["pause"])?.title == "Paused by home")
        #expect(try notification("", ["stop"])?.title == "Stopped by home")
        #expect(try notification("", ["stop"])?.body == "")
        #expect(try notification("", ["joined"])?.title == "home has joined")
    }

    @Test("own presses cause no notification")
    func own() throws {
        let timer = TimerState(ReplayState(), at: 0)
        #expect(FocusFront.Notification([Happening(.stop, .own, timer)]) == nil)
        #expect(FocusFront.Notification([]) == nil)
        let late = FocusFront.Notification(about: .latecomers(["late (bbbbbbbb)"]))
        #expect(late?.title == "Waiting to be accepted")
        #expect(late?.body.contains("focus devices accept") == true)
        #expect(FocusFront.Notification(about: .newcomers(["new (cccccccc)"]))?.title == "New in the group")
        #expect(FocusFront.Notification(about: .keyChanged(without: ["lost"])) == nil)
    }
}
