import ClientSupport
import FocusContact
import FocusCore
import FocusDevice
import FocusNet
import FocusStore
import TestSupport
import Testing

@testable import FocusAgent
@testable import FocusFront

@Suite("Showing notifications")
final class NotifierTests {
    private let time: VirtualTime
    private var shown: [String] = []
    private var running: [(ChildProcess.End) -> Void] = []
    private var kills = 0
    private var rings = 0
    private var troubles = 0
    private var cannotStart = false

    init() { time = VirtualTime(TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)) }

    private func notifier() -> Notifier {
        Notifier(
            time,
            on: NotificationProgram { [unowned self] words, ended throws(NetError) in
                if cannotStart { throw NetError(.system, "there is no such program") }
                shown.append(words[words.count - 2])
                running.append(ended)
                return { self.kills += 1 }
            }, ring: { [unowned self] in rings += 1 }, say: { [unowned self] _ in troubles += 1 })
    }

    private func end(_ end: ChildProcess.End = .exited(0)) { running.removeFirst()(end) }

    private func press(_ number: Int) -> Notification {
        Notification(title: "press \(number)", body: "")
    }

    @Test(
        "of 400 presses a second one is shown each second, the newest"
    )
    func flood() {
        let notifier = notifier()
        var most = 0
        for number in 0..<4_000 {
            let count = shown.count
            notifier.show(press(number), withSound: false, ringing: false)
            #expect(shown.count == count)
            time.pass(.microseconds(2_500))
            most = max(most, running.count)
            // The desktop is slow: it finishes at most one notification every 100 ms.
            if number % 40 == 39, !running.isEmpty { end() }
        }
        #expect(most == 1)
        #expect((9...11).contains(shown.count))
        for _ in 0..<3 {
            time.pass(.seconds(2))
            if !running.isEmpty { end() }
        }
        #expect(shown.last == "press 3999")
        #expect(time.alarms == 0)
    }

    @Test("markup in a body is escaped, and a title is never an option")
    func words() {
        let shown = Notification(title: "--urgency=critical", body: "a < b & <i>c</i> &lt;")
        #expect(
            NotificationProgram.command(shown, .none).suffix(3) == [
                "--", "--urgency=critical", "a &lt; b &amp; &lt;i&gt;c&lt;/i&gt; &amp;lt;",
            ])
    }

    @Test("notify-send can't tell whether the desktop plays the bell, so the bell is played beside it, once")
    func programWithoutSound() {
        let notifier = notifier()
        for isRinging in [true, false] {
            notifier.show(press(1), withSound: true, ringing: isRinging)
            time.pass(.seconds(2))
            end()
            #expect(rings == 1)
        }
        let bell = NotificationProgram.command(press(1), .bell)
        #expect(bell == NotificationProgram.command(press(1), .none), "the desktop doesn't play it too")
        #expect(bell != NotificationProgram.command(press(1), .usual))
    }

    @Test("a lasting notification is shown before a waiting press, and a replaced press's bell isn't lost")
    func lasting() {
        let notifier = notifier()
        notifier.show(press(1), withSound: true, ringing: true)
        notifier.show(
            Notification(title: "New in the group", body: "", isLasting: true), withSound: true,
            ringing: false)
        notifier.show(press(2), withSound: true, ringing: false)
        time.pass(.seconds(1))
        end()
        time.pass(.seconds(1))
        end(.exited(1))
        #expect(shown == ["New in the group", "press 2"])
        #expect(rings == 1)
    }

    @Test("if no notification can be shown, the bell rings instead, and the reason is reported once")
    func silence() {
        cannotStart = true
        let notifier = notifier()
        for number in 0..<3 {
            notifier.show(press(number), withSound: true, ringing: number != 1)
            time.pass(.seconds(2))
        }
        #expect(rings == 2 && troubles == 1 && shown.isEmpty)
    }

    @Test("a desktop that doesn't answer is given up after a timeout, and the next notification is shown")
    func deaf() {
        let notifier = notifier()
        notifier.show(press(1), withSound: true, ringing: false)
        time.pass(.seconds(1))
        notifier.show(press(2), withSound: true, ringing: false)
        time.pass(.seconds(10))
        #expect(kills == 1 && shown == ["press 1"])
        end(.signalled(9))
        time.pass(.seconds(1))
        #expect(shown == ["press 1", "press 2"])
        end()
        time.pass(.seconds(20))
        #expect(kills == 1)
    }

    @Test("a waiting notification about a timer that has changed isn't shown")
    func changed() throws {
        let notifier = notifier()
        let timer = TimerState(ReplayState(), at: SharedInstant(milliseconds: 1_763_661_600_000))
        let ended = try #require(Notification([Happening(.stop, .time, timer)]))
        notifier.show(ended, withSound: true, ringing: false)
        #expect(notifier.isAboutTimer)
        notifier.withdraw(unless: .stopped)
        #expect(notifier.isAboutTimer)
        notifier.withdraw(
            unless: .running(RunID(stamp: Stamp(rawValue: 1), replica: ReplicaID(rawValue: 1)), ordinal: 0))
        #expect(!notifier.isAboutTimer)
        time.pass(.seconds(2))
        #expect(shown.isEmpty)
    }

    @Test("a notification about a phase that gets another length is corrected if it waits, and else removed")
    func corrected() throws {
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        let state = { TimerState(try device.store.state(), at: try device.now()) }
        _ = laptop.run("start")
        let display = RecordingDisplay()
        let notifier = Notifier(time, on: display, ring: {}, say: { _ in })
        let paused = try Happening(.pause, .other("one"), state())
        notifier.show(try #require(Notification([paused])), withSound: true, ringing: false)
        _ = laptop.run("add -5m")
        notifier.correct(for: try state())
        time.pass(.seconds(2))
        #expect(display.bodies == ["Work, 20:00."] && display.withdrawals == 0)
        notifier.correct(for: try state())
        #expect(display.withdrawals == 0)
        _ = laptop.run("label Plan")
        notifier.correct(for: try state())
        #expect(display.withdrawals == 1)
    }

    /// A display that records its calls.
    private final class RecordingDisplay: NotificationDisplay {
        var bodies: [String] = []
        var withdrawals = 0

        func show(
            _ notification: Notification, _ sound: NotificationSound,
            ended: @escaping (NotificationOutcome) -> Void
        ) -> () -> Void {
            bodies.append(notification.body)
            ended(.shown(hasSound: true))
            return {}
        }

        func withdraw() { withdrawals += 1 }
    }

    @Test("a failure is reported once, and the next success after it")
    func recovery() {
        var reports: [Bool] = []
        let notifier = Notifier(
            time,
            on: NotificationProgram { [unowned self] _, ended throws(NetError) in
                running.append(ended)
                return {}
            }, ring: {}, say: { reports.append($0 != nil) })
        for status in [1, 1, 0, 0, 1] as [Int64] {
            notifier.show(press(0), withSound: false, ringing: false)
            time.pass(.seconds(2))
            end(.exited(status))
        }
        #expect(reports == [true, false, true])
    }

    @Test("characters that change the text direction are replaced in notifications")
    func direction() {
        let notification = Notification(
            title: "Paused by a\u{202E}b", body: "Work on \u{2066}c\u{2069}, 05:00.")
        #expect(notification.title == "Paused by a\u{FFFD}b")
        #expect(notification.body == "Work on \u{FFFD}c\u{FFFD}, 05:00.")
    }
}
