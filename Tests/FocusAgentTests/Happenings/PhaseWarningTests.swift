import ClientSupport
import FocusAgent
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusText
import TestSupport
import Testing

@Suite("A warning before work ends")
final class PhaseWarningTests {
    /// A laptop at 18:00 in UTC.
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let time: VirtualTime
    private var isCaughtUp = true
    private var told: [[Happening]] = []

    init() {
        time = VirtualTime(laptop)
        _ = laptop.run("set warnBefore=2m")
    }

    private func watch() throws -> HappeningDetector {
        let watch = HappeningDetector(
            try Device(laptop.machine), time, isCaughtUp: { [unowned self] in isCaughtUp }
        ) { [unowned self] in
            told.append($0)
        }
        try watch.refresh()
        return watch
    }

    /// Presses on this laptop, and has the detector look.
    private func press(_ words: String, _ watch: HappeningDetector) throws {
        _ = laptop.run(words)
        try watch.refresh()
    }

    /// The titles of the warnings so far.
    private var titles: [String] {
        told.filter { $0.contains { $0.kind == .phaseWarning } }
            .compactMap { FocusFront.Notification($0, by: .utc)?.title }
    }

    @Test("comes once, when what is left of work is the set time, and not in breaks")
    func once() throws {
        _ = laptop.run("start Write")
        let watch = try watch()
        time.pass(.seconds(1_379))
        #expect(told.isEmpty)
        time.pass(.seconds(1))
        let happening = try #require(told.first?.first)
        #expect(happening.kind == .phaseWarning && happening.cause == .time && happening.isRinging)
        let shown = FocusFront.Notification([happening], by: .utc)
        let notification = try #require(shown)
        #expect(notification.title == "2 minutes left")
        #expect(notification.body == "Write, until 18:25")
        time.pass(.seconds(60))
        try watch.refresh()
        #expect(told.count == 1)
        // The rest of the phase, and the break.
        time.pass(.seconds(359))
        #expect(told.map { $0.map(\.kind) } == [[.phaseWarning], [.phaseEnd, .phaseStart]])
    }

    @Test("comes before overtime too; the planned end is one happening that says that the clock goes on")
    func overtime() throws {
        _ = laptop.run("set overtime=on")
        _ = laptop.run("start Write")
        let watch = try watch()
        time.pass(.seconds(1_560))
        try watch.refresh()
        #expect(told.map { $0.map(\.kind) } == [[.phaseWarning], [.overtime]])
        let happening = try #require(told.last?.first)
        #expect(happening.cause == .time && happening.isRinging)
        let shown = FocusFront.Notification([happening])
        #expect(shown?.title == "Work is over")
        let body = "Write: The clock goes on, in overtime, until somebody begins the break or stops."
        #expect(shown?.body == body)
        let later = Happening(.pause, .own, TimerState(try Device(laptop.machine).store.state(), at: .zero))
        #expect(later.variables(device: "desk", at: .zero)["FOCUS_OVERTIME"] == "0")
        try press("skip", watch)
        #expect(told.last?.map(\.kind) == [.skip, .phaseEnd, .phaseStart])
    }

    @Test("comes again at the end that added time leads to, but not at an end that was warned about")
    func added() throws {
        _ = laptop.run("start")
        let watch = try watch()
        time.pass(.seconds(1_380))
        try press("add 5m", watch)
        try press("undo", watch)
        #expect(titles.count == 1)
        try press("add 5m", watch)
        time.pass(.seconds(299))
        #expect(titles.count == 1)
        time.pass(.seconds(1))
        #expect(titles == ["2 minutes left", "2 minutes left"])
    }

    @Test("comes at once if time is taken away, unless the whole phase is then shorter than the set time")
    func takenAway() throws {
        _ = laptop.run("start")
        let watch = try watch()
        time.pass(.seconds(60))
        try press("add -22m30s", watch)
        #expect(titles == ["1m30s left"])
        try press("stop", watch)
        try press("start", watch)
        time.pass(.seconds(20))
        try press("add -23m30s", watch)
        time.pass(.seconds(60))
        #expect(titles.count == 1)
    }

    @Test("isn't given about a phase that is shorter than the set time")
    func short() throws {
        _ = laptop.run("set warnBefore=25m")
        let watch = try watch()
        try press("start", watch)
        time.pass(.seconds(1_499))
        #expect(titles.isEmpty)
    }

    @Test("isn't given if the agent starts within the set time, or if the setting changes within it")
    func late() throws {
        _ = laptop.run("start")
        time.pass(.seconds(1_400))
        let watch = try watch()
        time.pass(.seconds(30))
        #expect(titles.isEmpty)
        try press("skip", watch)
        try press("skip", watch)
        try press("set warnBefore=10s", watch)
        time.pass(.seconds(1_400))
        try press("set warnBefore=2m", watch)
        time.pass(.seconds(60))
        #expect(titles.isEmpty)
    }

    @Test("isn't given for work that is resumed within the set time; before that, it waits for the work")
    func resumed() throws {
        _ = laptop.run("start")
        let watch = try watch()
        time.pass(.seconds(1_320))
        try press("pause", watch)
        time.pass(.seconds(600))
        #expect(titles.isEmpty)
        try press("resume", watch)
        time.pass(.seconds(60))
        #expect(titles.count == 1)
        time.pass(.seconds(10))
        try press("pause", watch)
        time.pass(.seconds(10))
        try press("resume", watch)
        time.pass(.seconds(60))
        #expect(titles.count == 1)
    }

    @Test("comes late, with what is left then, after a short sleep and after others' presses have arrived")
    func afterwards() throws {
        _ = laptop.run("start")
        let watch = try watch()
        time.doze(.seconds(1_400))
        time.pass(.seconds(60))
        #expect(titles == ["40 seconds left"])
        try press("skip", watch)
        try press("skip", watch)
        isCaughtUp = false
        time.pass(.seconds(1_440))
        #expect(titles.count == 1)
        isCaughtUp = true
        time.pass(.seconds(1))
        #expect(titles == ["40 seconds left", "59 seconds left"])
    }

    @Test("is shown with another laptop's press of the same moment, which it names")
    func withPress() throws {
        _ = laptop.run("start Write")
        let timer = TimerState(
            try Device(laptop.machine).store.state(), at: try Device(laptop.machine).now() + .seconds(1_380))
        let warning = Happening(.phaseWarning, .time, timer)
        func shown(_ others: Happening...) -> [FocusFront.Notification] {
            FocusFront.Notification.all(others + [warning], by: .utc)
        }
        #expect(shown().map(\.title) == ["2 minutes left"])
        let resumed = shown(Happening(.resume, .other("home"), timer))
        #expect(resumed.map(\.title) == ["2 minutes left"])
        #expect(resumed.map(\.body) == ["Write, until 18:25. Resumed by home"])
        let late = shown(Happening(.resume, .other("home"), timer, message: "It counts from 18:20."))
        #expect(late.map(\.body) == ["Write, until 18:25. Resumed by home. It counts from 18:20."])
        let joined = shown(Happening(.joined, .other("spare"), timer))
        #expect(joined.map(\.title) == ["spare has joined", "2 minutes left"])
        #expect(shown(Happening(.resume, .own, timer)).map(\.title) == ["2 minutes left"])
        #expect(FocusFront.Notification.all([Happening(.resume, .own, timer)], by: .utc) == [])
    }

    @Test("doesn't come if it is switched off before")
    func off() throws {
        _ = laptop.run("start")
        let watch = try watch()
        time.pass(.seconds(1_370))
        try press("set warnBefore=off", watch)
        time.pass(.seconds(60))
        #expect(titles.isEmpty)
    }
}
