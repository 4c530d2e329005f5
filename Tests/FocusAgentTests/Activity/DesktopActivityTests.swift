import ClientSupport
import DBusKit
import FocusAgent
import FocusCore
import FocusDevice
import SystemKit
import TestSupport
import Testing

@Suite("Learning from the desktop whether somebody is there")
final class DesktopActivityTests {
    private let laptop = TestContext(now: 1_763_661_600_000)
    private let time: VirtualTime
    private let session: FakeBus
    private let system: FakeBus
    private let heard = Heard()
    private let use = Use()
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

    /// The answers to whether it is of use to ask a screen saver.
    private final class Use {
        var isAway: [Bool] = []
        var wait: Duration? = .zero
    }

    /// The answer to each method of the desktop's session, and of the login manager; others are refused.
    private var sessionAnswers: [String: [BusValue]] = [:]
    private var systemAnswers: [String: [BusValue]] = [:]

    init() {
        time = VirtualTime(laptop)
        (session, system) = (FakeBus(), FakeBus())
        let (heard, use) = (heard, use)
        activity = DesktopActivity(
            session: session, system: system, time: time, clocks: laptop.machine.platform.clocks,
            sessionID: nil,
            untilNeeded: { isAway in
                use.isAway.append(isAway)
                return use.wait
            }
        ) { heard.reports.append($0) }
        session.answer = { [unowned self] in FakeBus.result(sessionAnswers[$0.member]) }
        system.answer = { [unowned self] in FakeBus.result(systemAnswers[$0.member]) }
    }

    /// Delivers answers, and the answers of the calls that follow from them.
    private func deliver() {
        session.deliver()
        system.deliver()
    }

    private func setOwner(of name: String, _ owner: String?) {
        for bus in [session, system] { bus.setOwner(of: name, owner) }
        deliver()
    }

    private func signal(_ interface: String, _ member: String, _ arguments: [BusValue] = []) {
        for bus in [session, system] {
            bus.send(BusSignal(path: "/", interface: interface, member: member, arguments: arguments))
        }
        deliver()
    }

    private func logIn(seat: String = "seat0", user: UInt32 = geteuid()) {
        let row = BusValue.structure([
            .string("c1"), .uint32(user), .string("ann"), .string(seat),
            .path("/org/freedesktop/login1/session/c1"),
        ])
        systemAnswers["ListSessions"] = [.array([row], of: "(susso)")]
        setSession()
        setOwner(of: DesktopActivityTests.logind, ":1.1")
    }

    private func setSession(locked: Bool = false, idleSince: SharedInstant? = nil) {
        systemAnswers["GetAll"] = [
            .dictionary([
                "LockedHint": .bool(locked), "IdleHint": .bool(idleSince != nil),
                "IdleSinceHint": .uint64(UInt64((idleSince ?? 0).milliseconds * 1000)),
            ])
        ]
    }

    private func sessionChanged() {
        signal(BusNames.properties, "PropertiesChanged", [.string("org.freedesktop.login1.Session")])
    }

    @Test("a desktop that tells nothing says nothing, and no origin")
    func silent() {
        time.pass(.seconds(3_600))
        setOwner(of: DesktopActivityTests.mutter, ":1.2")
        setOwner(of: DesktopActivityTests.screenSaver, ":1.3")
        setOwner(of: DesktopActivityTests.logind, ":1.1")
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
        setOwner(of: DesktopActivityTests.logind, nil)
        #expect(activity.origins == [])
    }

    @Test("an idle session counts after ten minutes, since the time that logind names, if that can be")
    func idle() {
        logIn()
        setSession(idleSince: laptop.machine.platform.clocks.wall() - .seconds(420))
        sessionChanged()
        time.pass(.seconds(179))
        deliver()
        #expect(heard.minutes == [nil])
        time.pass(.seconds(1))
        deliver()
        #expect(heard.minutes == [nil, 10])
        setSession()
        sessionChanged()
        #expect(heard.minutes == [nil, 10, nil])
        #expect(time.alarms == 0)
        setSession(idleSince: 0)
        sessionChanged()
        #expect(heard.minutes == [nil, 10, nil])
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
        sessionAnswers = [
            "AddIdleWatch": [.uint32(1)], "AddUserActiveWatch": [.uint32(2)], "GetIdletime": [.uint64(5)],
        ]
        setOwner(of: DesktopActivityTests.mutter, ":1.2")
        #expect(heard.minutes == [nil] && activity.origins == [.mutter])
        signal(DesktopActivityTests.mutter, "WatchFired", [.uint32(7)])
        signal(DesktopActivityTests.mutter, "WatchFired", [.uint32(1)])
        #expect(heard.minutes == [nil, 10])
        signal(DesktopActivityTests.mutter, "WatchFired", [.uint32(2)])
        #expect(heard.minutes == [nil, 10, nil])
    }

    @Test("Mutter is asked again after a late answer, until it has answered")
    func slowMutter() {
        let answer = session.answer
        session.answer = { _ in .failure(.timedOut) }
        setOwner(of: DesktopActivityTests.mutter, ":1.2")
        #expect(activity.origins == [] && time.alarms == 1)
        sessionAnswers = [
            "AddIdleWatch": [.uint32(1)], "AddUserActiveWatch": [.uint32(2)], "GetIdletime": [.uint64(5)],
        ]
        session.answer = answer
        time.pass(.seconds(1))
        deliver()
        #expect(heard.minutes == [nil] && activity.origins == [.mutter] && time.alarms == 0)
        // The watch for the return is answered late.
        session.answer = { _ in .failure(.timedOut) }
        signal(DesktopActivityTests.mutter, "WatchFired", [.uint32(1)])
        #expect(heard.minutes == [nil])
        sessionAnswers["GetIdletime"] = [.uint64(661_000)]
        session.answer = answer
        time.pass(.seconds(1))
        deliver()
        #expect(heard.minutes == [nil, 11])
    }

    @Test("Mutter that never answers is asked no more after some minutes, until it starts again")
    func deafMutter() {
        session.answer = { _ in .failure(.timedOut) }
        let questions = { [session] in session.calls.count { $0.member == "AddIdleWatch" } }
        setOwner(of: DesktopActivityTests.mutter, ":1.2")
        for _ in 0..<20 {
            time.pass(.seconds(64))
            deliver()
        }
        #expect(questions() == 8 && time.alarms == 0)
        setOwner(of: DesktopActivityTests.mutter, ":1.3")
        #expect(questions() == 9)
    }

    @Test("a lock that logind tells of late is an absence all the same")
    func slowLogind() {
        logIn()
        setSession(locked: true)
        let answer = system.answer
        system.answer = { _ in .failure(.timedOut) }
        sessionChanged()
        time.pass(.seconds(1))
        deliver()
        #expect(heard.minutes == [nil] && activity.origins == [.logind])
        system.answer = answer
        time.pass(.seconds(2))
        deliver()
        #expect(heard.minutes == [nil, 0] && time.alarms == 0)
    }

    @Test("an agent that starts while nobody is there learns since when")
    func startedIdle() {
        sessionAnswers = [
            "AddIdleWatch": [.uint32(1)], "AddUserActiveWatch": [.uint32(2)],
            "GetIdletime": [.uint64(1_500_000)],
        ]
        setOwner(of: DesktopActivityTests.mutter, ":1.2")
        time.pass(.milliseconds(1))
        #expect(heard.minutes == [25])
    }

    @Test("an absence goes on when its origin is gone, until an origin tells that somebody is there")
    func gone() {
        sessionAnswers = [
            "AddIdleWatch": [.uint32(1)], "AddUserActiveWatch": [.uint32(2)],
            "GetIdletime": [.uint64(1_500_000)],
        ]
        logIn()
        setOwner(of: DesktopActivityTests.mutter, ":1.2")
        setSession(locked: true)
        sessionChanged()
        setOwner(of: DesktopActivityTests.mutter, nil)
        #expect(heard.minutes == [nil, 25] && activity.origins == [.logind])
        setOwner(of: DesktopActivityTests.logind, nil)
        #expect(heard.minutes == [nil, 25] && activity.origins == [])
        setOwner(of: DesktopActivityTests.logind, ":1.3")
        #expect(heard.minutes == [nil, 25], "it is still locked")
        setSession()
        sessionChanged()
        #expect(heard.minutes == [nil, 25, nil])
    }

    @Test("one origin that tells of somebody doesn't end what another still tells")
    func contradicting() {
        logIn()
        setSession(locked: true)
        sessionChanged()
        sessionAnswers["GetActive"] = [.bool(false)]
        setOwner(of: DesktopActivityTests.screenSaver, ":1.3")
        #expect(heard.minutes == [nil, 0])
    }

    @Test("a screen saver tells when it is active, and is asked for the idle time only if it knows that")
    func screenSaver() {
        sessionAnswers = ["GetActive": [.bool(false)]]
        setOwner(of: DesktopActivityTests.screenSaver, ":1.3")
        #expect(heard.minutes == [nil] && activity.origins == [.screenSaver])
        time.pass(.seconds(600))
        #expect(session.calls.map(\.member) == ["GetActive", "GetSessionIdleTime"])
        signal(DesktopActivityTests.screenSaver, "ActiveChanged", [.bool(true)])
        signal(DesktopActivityTests.screenSaver, "ActiveChanged", [.bool(false)])
        #expect(heard.minutes == [nil, 0, nil])
        sessionAnswers["GetSessionIdleTime"] = [.uint32(660_000)]
        setOwner(of: DesktopActivityTests.screenSaver, ":1.4")
        #expect(heard.minutes == [nil, 0, nil, 11])
        sessionAnswers["GetSessionIdleTime"] = [.uint32(1_000)]
        time.pass(.seconds(6))
        deliver()
        #expect(heard.minutes == [nil, 0, nil, 11, nil])
    }

    @Test("a screen saver is asked for the idle time only when that is of use, and soon after a change")
    func polling() {
        sessionAnswers["GetSessionIdleTime"] = [.uint32(1_000)]
        use.wait = nil
        setOwner(of: DesktopActivityTests.screenSaver, ":1.3")
        let questions = { [session] in session.calls.count { $0.member == "GetSessionIdleTime" } }
        #expect(questions() == 0 && time.alarms == 0)
        use.wait = .seconds(300)
        activity.refresh()
        time.pass(.seconds(299))
        #expect(questions() == 0)
        use.wait = .zero
        time.pass(.seconds(1))
        deliver()
        #expect(questions() == 1)
        use.wait = nil
        time.pass(.seconds(60))
        #expect(questions() == 1 && time.alarms == 0)
        sessionAnswers["GetSessionIdleTime"] = [.uint32(660_000)]
        use.wait = .zero
        activity.refresh()
        activity.refresh()
        time.pass(.seconds(2))
        deliver()
        #expect(questions() == 2 && heard.minutes == [nil, 11])
        #expect(use.isAway.last == true)
    }

    @Test("steady changes don't postpone the question to a screen saver")
    func steadyChanges() {
        sessionAnswers["GetSessionIdleTime"] = [.uint32(1_000)]
        setOwner(of: DesktopActivityTests.screenSaver, ":1.3")
        let questions = { [session] in session.calls.count { $0.member == "GetSessionIdleTime" } }
        #expect(questions() == 1)
        for _ in 0..<6 {
            activity.refresh()
            time.pass(.milliseconds(500))
            deliver()
        }
        #expect(questions() == 4, "once a second")
    }

    @Test("a screen saver that once doesn't answer is asked for the idle time again")
    func lostAnswer() {
        session.answer = { _ in .failure(.timedOut) }
        setOwner(of: DesktopActivityTests.screenSaver, ":1.3")
        session.answer = { _ in .success([.uint32(660_000)]) }
        time.pass(.seconds(60))
        deliver()
        #expect(heard.minutes == [11])
    }

    @Test("nobody is there as long as one origin says so, since the earliest sign")
    func signs() {
        var signs = AbsenceSigns()
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

extension FakeBus {
    /// The result of a call with this answer; a refusal if that is nil.
    fileprivate static func result(_ answer: [BusValue]?) -> Result<[BusValue], BusError>? {
        answer.map { Result<[BusValue], BusError>.success($0) }
            ?? .failure(.refused(name: "org.freedesktop.DBus.Error.UnknownMethod", message: ""))
    }
}
