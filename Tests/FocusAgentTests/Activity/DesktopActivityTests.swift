import ClientSupport
import DBusKit
import FocusAgent
import FocusCore
import FocusDevice
import SystemKit
import TestSupport
import Testing

/// A bus with scripted answers. An answer comes in a later turn, as from a real one.
private final class ScriptedBus: MessageBus {
    let uniqueName: String? = nil
    /// The answer to each method, by its name; calls of others are refused.
    var answers: [String: [BusValue]] = [:]
    private(set) var calls: [String] = []
    private let time: VirtualTime
    private var subscriptions: [(match: BusMatch, body: (BusSignal) -> Void)] = []
    private var followers: [(name: String, body: (String?) -> Void)] = []

    init(_ time: VirtualTime) { self.time = time }

    func call(
        _ call: BusCall, within limit: Duration, _ done: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        calls.append(call.member)
        let answer = answers[call.member]
        _ = time.schedule(after: .zero) { done(answer.map { .success($0) } ?? .failure(.noBus)) }
    }

    func subscribe(_ match: BusMatch, _ body: @escaping (BusSignal) -> Void) -> BusSubscription {
        subscriptions.append((match, body))
        return BusSubscription {}
    }

    func followOwner(of name: String, _ body: @escaping (String?) -> Void) -> BusSubscription {
        followers.append((name, body))
        return BusSubscription {}
    }

    func own(_ name: String, _ body: @escaping (Bool) -> Void) {}
    func export(_ object: any BusObject, at path: String) {}
    func removeObject(at path: String) {}
    func emit(_ signal: BusSignal) {}
    func followConnection(_ body: @escaping (Bool) -> Void) -> BusSubscription { BusSubscription {} }

    /// Tells that a name has an owner now, or none.
    func setOwner(of name: String, _ owner: String?) {
        for follower in followers where follower.name == name { follower.body(owner) }
        time.pass(.milliseconds(1))
    }

    /// Sends a signal.
    func signal(_ interface: String, _ member: String, _ arguments: [BusValue] = []) {
        for (match, body) in subscriptions
        where match.interface == interface && match.member.map({ $0 == member }) ?? true {
            body(
                BusSignal(path: match.path ?? "/", interface: interface, member: member, arguments: arguments)
            )
        }
        time.pass(.milliseconds(1))
    }
}

@Suite("Learning from the desktop whether somebody is there")
final class DesktopActivityTests {
    private let laptop = TestContext(now: 1_763_661_600_000)
    private let time: VirtualTime
    private let session: ScriptedBus
    private let system: ScriptedBus
    private let heard = Heard()
    private let activity: DesktopActivity

    private static let logind = "org.freedesktop.login1"
    private static let mutter = "org.gnome.Mutter.IdleMonitor"
    private static let screenSaver = "org.freedesktop.ScreenSaver"

    private final class Heard {
        var reports: [UserActivity] = []
        /// The reports, with lengths of time in whole minutes.
        var minutes: [Int64?] {
            reports.map { report in
                switch report {
                case .present: nil
                case .absent(let length): length.inSeconds / 60
                }
            }
        }
    }

    init() {
        time = VirtualTime(laptop)
        (session, system) = (ScriptedBus(time), ScriptedBus(time))
        let heard = heard
        activity = DesktopActivity(
            session: session, system: system, time: time, clocks: laptop.machine.clocks, sessionID: nil
        ) { heard.reports.append($0) }
    }

    private func logIn(seat: String = "seat0", user: UInt32 = geteuid()) {
        let row = BusValue.structure([
            .string("c1"), .uint32(user), .string("ann"), .string(seat),
            .path("/org/freedesktop/login1/session/c1"),
        ])
        system.answers["ListSessions"] = [.array([row], of: "(susso)")]
        setSession()
        system.setOwner(of: DesktopActivityTests.logind, ":1.1")
        // The answer of `ListSessions` leads to another call.
        time.pass(.milliseconds(1))
    }

    private func setSession(locked: Bool = false, idleSince: SharedInstant? = nil) {
        system.answers["GetAll"] = [
            .dictionary([
                "LockedHint": .bool(locked), "IdleHint": .bool(idleSince != nil),
                "IdleSinceHint": .uint64(UInt64((idleSince ?? 0).milliseconds * 1000)),
            ])
        ]
    }

    private func sessionChanged() {
        system.signal(BusNames.properties, "PropertiesChanged", [.string("org.freedesktop.login1.Session")])
    }

    @Test("a desktop that tells nothing says nothing, and no origin")
    func silent() {
        time.pass(.seconds(3_600))
        session.setOwner(of: DesktopActivityTests.mutter, ":1.2")
        session.setOwner(of: DesktopActivityTests.screenSaver, ":1.3")
        system.setOwner(of: DesktopActivityTests.logind, ":1.1")
        #expect(heard.reports == [] && activity.origins == [])
    }

    @Test("a locked session is an absence until it is unlocked")
    func locked() {
        logIn()
        #expect(heard.minutes == [nil] && activity.origins == [.logind])
        setSession(locked: true)
        sessionChanged()
        time.pass(.seconds(600))
        sessionChanged()
        #expect(heard.minutes == [nil, 0], "told once")
        setSession()
        sessionChanged()
        #expect(heard.minutes == [nil, 0, nil])
        system.setOwner(of: DesktopActivityTests.logind, nil)
        #expect(activity.origins == [])
    }

    @Test("an idle session has been so since the time that logind names, if that can be")
    func idle() {
        setSession(idleSince: laptop.machine.clocks.wall() - .seconds(420))
        let answers = system.answers
        logIn()
        system.answers["GetAll"] = answers["GetAll"]
        sessionChanged()
        #expect(heard.minutes == [nil, 7])
        setSession()
        sessionChanged()
        setSession(idleSince: 0)
        sessionChanged()
        #expect(heard.minutes == [nil, 7, nil, 0])
    }

    @Test("logind that starts again is asked until it has the session")
    func restart() {
        logIn()
        let sessions = systemAnswers
        setOwner(of: DesktopActivityTests.logind, nil)
        #expect(activity.origins == [])
        systemAnswers = [:]
        setOwner(of: DesktopActivityTests.logind, ":1.9")
        systemAnswers["ListSessions"] = [.array([], of: "(susso)")]
        time.pass(.seconds(2))
        deliver()
        #expect(activity.origins == [])
        systemAnswers = sessions
        time.pass(.seconds(3))
        deliver()
        #expect(activity.origins == [.logind])
    }

    @Test("another user's session, and one without a seat, tell nothing")
    func otherSessions() {
        logIn(seat: "")
        logIn(user: geteuid() + 1)
        #expect(heard.reports == [])
    }

    @Test("Mutter tells of ten minutes without a key or pointer, and of the return")
    func mutter() {
        session.answers = [
            "AddIdleWatch": [.uint32(1)], "AddUserActiveWatch": [.uint32(2)], "GetIdletime": [.uint64(5)],
        ]
        session.setOwner(of: DesktopActivityTests.mutter, ":1.2")
        #expect(heard.minutes == [nil] && activity.origins == [.mutter])
        session.signal(DesktopActivityTests.mutter, "WatchFired", [.uint32(7)])
        session.signal(DesktopActivityTests.mutter, "WatchFired", [.uint32(1)])
        #expect(heard.minutes == [nil, 10])
        session.signal(DesktopActivityTests.mutter, "WatchFired", [.uint32(2)])
        #expect(heard.minutes == [nil, 10, nil])
    }

    @Test("an agent that starts while nobody is there learns since when")
    func startedIdle() {
        session.answers = [
            "AddIdleWatch": [.uint32(1)], "AddUserActiveWatch": [.uint32(2)],
            "GetIdletime": [.uint64(1_500_000)],
        ]
        session.setOwner(of: DesktopActivityTests.mutter, ":1.2")
        time.pass(.milliseconds(1))
        #expect(heard.minutes == [25])
        session.setOwner(of: DesktopActivityTests.mutter, nil)
        #expect(heard.minutes == [25, nil], "a monitor that is gone can't tell of the return")
    }

    @Test("a screen saver tells when it is active, and is asked for the idle time only if it knows that")
    func screenSaver() {
        session.answers = ["GetActive": [.bool(false)]]
        session.setOwner(of: DesktopActivityTests.screenSaver, ":1.3")
        #expect(heard.minutes == [nil] && activity.origins == [.screenSaver])
        time.pass(.seconds(600))
        #expect(session.calls == ["GetActive", "GetSessionIdleTime"])
        session.signal(DesktopActivityTests.screenSaver, "ActiveChanged", [.bool(true)])
        session.signal(DesktopActivityTests.screenSaver, "ActiveChanged", [.bool(false)])
        #expect(heard.minutes == [nil, 0, nil])
        session.answers["GetSessionIdleTime"] = [.uint32(660_000)]
        session.setOwner(of: DesktopActivityTests.screenSaver, ":1.4")
        #expect(heard.minutes == [nil, 0, nil, 11])
        session.answers["GetSessionIdleTime"] = [.uint32(1_000)]
        time.pass(.seconds(6))
        #expect(heard.minutes == [nil, 0, nil, 11, nil])
    }

    @Test("nobody is there as long as one origin says so, since the earliest sign")
    func signs() {
        var signs = ActivitySigns()
        signs.set(.locked(.logind), since: 2_000_000)
        signs.set(.idle(.mutter), since: 1_000_000)
        signs.set(.idle(.mutter), since: 3_000_000)
        #expect(signs.absentSince == 1_000_000)
        signs.set(.idle(.mutter), since: nil)
        #expect(signs.absentSince == 2_000_000)
        signs.forget(.logind)
        #expect(signs.absentSince == nil)
    }
}
