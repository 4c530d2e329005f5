import ClientSupport
import DBusKit
import FocusContact
import FocusCore
import FocusDevice
import FocusNet
import TestSupport
import Testing

@testable import FocusAgent
@testable import FocusFront

@Suite("Notifications on the desktop's bus")
final class NotificationDaemonTests {
    private let bus = FakeBus()
    private let time: VirtualTime
    private var capabilities = ["actions", "body", "body-markup", "sound"]
    private var number: UInt32 = 6
    private var presses: [(NotificationButton, ScreenTimer?)] = []
    private var substitutes: [String] = []
    private var outcomes: [NotificationOutcome] = []

    init() { time = VirtualTime(TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)) }

    private func daemon(file: String? = "/share/bell.wav") -> NotificationDaemon {
        bus.answer = { [unowned self] call in
            switch call.member {
            case "GetCapabilities": return .success([.strings(capabilities)])
            case "Notify":
                number += 1
                return .success([.uint32(number)])
            default: return .success([])
            }
        }
        return NotificationDaemon(
            bus, time,
            orElse: NotificationProgram { [unowned self] words, ended throws(NetError) in
                substitutes.append(words[words.count - 2])
                ended(.exited(0))
                return {}
            }, soundFile: file
        ) { [unowned self] in presses.append(($0, $1)) }
    }

    private func show(
        _ notification: Notification, _ sound: NotificationSound = .none, on daemon: NotificationDaemon
    ) {
        _ = daemon.show(notification, sound) { [unowned self] in outcomes.append($0) }
        bus.deliver()
    }

    /// A notification that a phase has ended by itself, after which the timer is stopped.
    private var ended: Notification {
        get throws {
            let timer = TimerState(ReplayState(), at: SharedInstant(milliseconds: 1_763_661_600_000))
            return try #require(Notification([Happening(.stop, .time, timer)]))
        }
    }

    /// The calls of a method of the program.
    private func calls(_ member: String) -> [[BusValue]] {
        bus.calls.filter { $0.member == member }.map(\.arguments)
    }

    private func send(_ member: String, _ arguments: [BusValue]) {
        let service = NotificationDaemon.service
        bus.send(
            BusSignal(
                from: ":1.9", path: NotificationDaemon.path, interface: service, member: member,
                arguments: arguments))
    }

    @Test("a notification has the icon, its buttons and its sound, and its body isn't taken for markup")
    func notify() throws {
        let daemon = daemon()
        show(Notification(title: "a < b", body: "c < d"), .bell, on: daemon)
        let plain = try #require(calls("Notify").first)
        #expect(plain[0] == .string("Lockstep") && plain[1] == .uint32(0) && plain[2] == .string("lockstep"))
        #expect(plain[3] == .string("a < b") && plain[4] == .string("c &lt; d"))
        #expect(plain[5] == .strings([]))
        #expect(plain[6].entries?["sound-file"] == .string("/share/bell.wav"))
        #expect(plain[6].entries?["desktop-entry"] == .string("lockstep"))
        show(try ended, on: daemon)
        let second = try #require(calls("Notify").last)
        // It replaces the first one.
        #expect(second[1] == .uint32(7))
        #expect(second[5] == .strings(["start-work", "Start work"]))
        #expect(second[6].entries?["suppress-sound"] == .bool(true))
        #expect(calls("GetCapabilities").count == 1)
        #expect(substitutes.isEmpty)
    }

    @Test("a program without buttons, markup and sound gets none of them")
    func bare() throws {
        capabilities = ["body"]
        let daemon = daemon()
        show(Notification(title: "", body: "c < d"), .bell, on: daemon)
        show(try ended, .bell, on: daemon)
        #expect(calls("Notify").map { $0[5] } == [.strings([]), .strings([])])
        #expect(calls("Notify").first?[4] == .string("c < d"))
        let sounds = outcomes.map { if case .shown(let hasSound) = $0 { hasSound } else { true } }
        #expect(sounds == [false, false])
    }

    @Test("a button presses once, and only on the notification that is shown now")
    func buttons() throws {
        let daemon = daemon()
        show(try ended, on: daemon)
        show(try ended, on: daemon)
        time.pass(.seconds(3))
        send("ActionInvoked", [.uint32(7), .string("start-work")])
        send("ActionInvoked", [.uint32(8), .string("skip")])
        send("ActionInvoked", [.string("8"), .string("start-work")])
        send("ActionInvoked", [])
        #expect(presses.isEmpty)
        send("ActionInvoked", [.uint32(8), .string("start-work")])
        send("ActionInvoked", [.uint32(8), .string("start-work")])
        #expect(presses.map(\.0) == [.startWork])
        #expect(presses.first?.1 == ScreenTimer(.stopped, age: .seconds(3)))
        withExtendedLifetime(daemon) {}
    }

    @Test("a question about time away has its answers as buttons, and is removed once it isn't asked")
    func question() throws {
        var log = LogScript()
        log.start(0)
        let events = try EventLog(log.events)
        let away = try #require(Absence(from: minutes(5), until: minutes(15)))
        let question = try #require(
            AbsenceQuestion(about: away, events.replayed().0, in: events, own: [.a]))
        let daemon = daemon()
        let notifier = Notifier(time, on: daemon, ring: {}, say: { _ in })
        func show() {
            notifier.show(Notification(about: question), withSound: false, ringing: false)
            time.pass(.seconds(2))
            bus.deliver()
        }
        show()
        let buttons = ["keep-time", "Keep", "drop-time", "Take out", "pause-then", "Pause as of then"]
        #expect(calls("Notify").last?[5] == .strings(buttons))
        let body = calls("Notify").last?[4].text
        #expect(body?.contains("focus idle") == false, "the buttons do what the commands do")
        #expect(Notification(about: question).bodyWithoutButtons.contains("'focus idle keep'"))
        send("ActionInvoked", [.uint32(7), .string("drop-time")])
        #expect(presses.map(\.0.request) == [.answer(.drop)])
        show()
        notifier.withdrawQuestion()
        #expect(calls("CloseNotification") == [[.uint32(8)]])
    }

    @Test("a notification is withdrawn, also one that is still on its way, and a lasting one stays")
    func withdrawing() throws {
        let daemon = daemon()
        show(try ended, on: daemon)
        daemon.withdraw()
        #expect(calls("CloseNotification") == [[.uint32(7)]])
        _ = daemon.show(try ended, .none) { _ in }
        daemon.withdraw()
        bus.deliver()
        #expect(calls("CloseNotification") == [[.uint32(7)], [.uint32(8)]])
        show(Notification(title: "", body: "", isLasting: true), on: daemon)
        daemon.withdraw()
        #expect(calls("CloseNotification").count == 2)
        // One that the person closed isn't closed again, and isn't replaced.
        show(try ended, on: daemon)
        send("NotificationClosed", [.uint32(10), .uint32(2)])
        daemon.withdraw()
        show(try ended, on: daemon)
        #expect(calls("CloseNotification").count == 2)
        #expect(calls("Notify").last?[1] == .uint32(0))
    }

    @Test("without a program on the bus the other display shows it, and the next one tries the bus again")
    func absence() throws {
        let daemon = daemon()
        let answer = bus.answer
        bus.answer = { _ in .failure(.refused(name: "org.freedesktop.DBus.Error.ServiceUnknown", message: ""))
        }
        show(try ended, on: daemon)
        #expect(substitutes.count == 1)
        bus.answer = answer
        show(try ended, on: daemon)
        #expect(substitutes.count == 1 && calls("Notify").count == 1)
        // The program dies while it is asked.
        bus.answer = { call in call.member == "Notify" ? .failure(.timedOut) : answer(call) }
        show(try ended, on: daemon)
        #expect(substitutes.count == 2)
    }

    @Test("a notification that is withdrawn while the bus is asked isn't shown by the other display either")
    func withdrawnSubstitute() throws {
        let daemon = daemon()
        bus.answer = { _ in .failure(.timedOut) }
        let notifier = Notifier(time, on: daemon, ring: { Issue.record("it rings") }, say: { _ in })
        notifier.show(try ended, withSound: true, ringing: true)
        time.pass(.seconds(2))
        notifier.withdraw()
        bus.deliver()
        #expect(substitutes.isEmpty)
        notifier.show(try ended, withSound: false, ringing: false)
        time.pass(.seconds(2))
        bus.deliver()
        #expect(substitutes.count == 1, "the next one is shown")
        _ = daemon.show(Notification(title: "", body: "", isLasting: true), .none) { _ in }
        daemon.withdraw()
        bus.deliver()
        #expect(substitutes.count == 2, "a lasting one stays")
    }

    @Test("another program on the bus is asked for its abilities, and gets no number of the former one")
    func successor() throws {
        let daemon = daemon()
        show(try ended, on: daemon)
        bus.setOwner(of: NotificationDaemon.service, ":1.9")
        capabilities = []
        show(try ended, on: daemon)
        #expect(calls("Notify").last?[1] == .uint32(7))
        bus.setOwner(of: NotificationDaemon.service, nil)
        bus.setOwner(of: NotificationDaemon.service, ":1.12")
        send("ActionInvoked", [.uint32(8), .string("start-work")])
        show(try ended, on: daemon)
        #expect(presses.isEmpty && calls("GetCapabilities").count == 2)
        #expect(calls("Notify").last?[1] == .uint32(0) && calls("Notify").last?[5] == .strings([]))
    }
}
