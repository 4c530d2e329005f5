import ClientSupport
import CommandLineKit
import FocusAgent
import FocusClient
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import TestSupport
import Testing

@Suite("Detecting a suspension")
struct SuspensionDetectorTests {
    private let laptop = TestContext(now: 1_763_661_600_000)

    @Test("finds its length, and its beginning at the last check before it")
    func found() throws {
        var watch = SuspensionDetector(laptop.context.clocks)
        laptop.pass(.seconds(3))
        #expect(watch.check() == nil)
        laptop.pass(.seconds(2))
        laptop.doze(.seconds(400))
        laptop.pass(.seconds(1))
        let look = watch.check()
        let found = try #require(look)
        #expect(found.from == 8_000_000)
        #expect(found.length == .seconds(400))
        #expect(watch.check() == nil, "told once")
    }

    @Test("a clock that is set is no suspension")
    func set() {
        var watch = SuspensionDetector(laptop.context.clocks)
        laptop.set { $0.wall += 3_600_000 }
        #expect(watch.check() == nil)
        laptop.set { $0.wall -= 7_200_000 }
        laptop.pass(.seconds(3_600))
        #expect(watch.check() == nil)
    }
}

@Suite("The agent of a laptop that is alone, on waking")
final class SuspensionHandlingTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let time: VirtualTime
    private let agent: Agent
    private let watch: HappeningDetector
    private let heard = Heard()

    /// Records what the agent reports to the person.
    private final class Heard: AgentObserver {
        var notices: [SyncNotice] = []
        var told: [[Happening.Kind]] = []
        weak var watch: HappeningDetector?

        func log(_ event: AgentEvent) {}
        func noticed(_ notice: SyncNotice) { notices.append(notice) }
        func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {}
        func changed(_ what: AgentChange) { if what == .log { try? watch?.refresh() } }
        func ended() {}
    }

    init() throws {
        laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        time = VirtualTime(laptop)
        let device = try Device(laptop.machine)
        let agent = Agent(
            device, by: noRoutes, time: time, dice: SeededGenerator(seed: 1))
        self.agent = agent
        let heard = heard
        watch = HappeningDetector(device, time, isCaughtUp: { agent.mayReportHappenings() }) { happenings in
            heard.told.append(happenings.map(\.kind))
        }
        heard.watch = watch
        agent.observer = heard
        try agent.start()
        try watch.refresh()
    }

    private func press(_ words: String) {
        #expect(laptop.run(words).status == .done)
        agent.poked()
    }

    /// Works for ten minutes, then suspends the laptop for `minutes` minutes.
    private func workAndDoze(_ minutes: Int64) {
        press("start")
        time.pass(.seconds(600))
        laptop.doze(.seconds(60 * minutes))
        time.pass(.seconds(7))
    }

    private var status: String { laptop.run("status").output }

    @Test("pauses as of when it fell asleep, and says so", arguments: [6, 40, 14 * 60] as [Int64])
    func pauses(minutes: Int64) throws {
        workAndDoze(minutes)
        #expect(status.hasPrefix("Work paused  15:0"), "\(status)")
        #expect(heard.told == [[.start, .phaseStart], [.pause]], "no end of a phase that isn't over")
        let notice = try #require(heard.notices.first)
        #expect(heard.notices.count == 1)
        #expect(notice.sentence.contains("paused as of"))
        #expect(notice.sentence.contains("'focus undo' counts the time after all"))
        time.pass(.seconds(120))
        #expect(heard.notices.count == 1)
    }

    @Test(
        "leaves the decision to a press that comes first, and decides itself if that press is refused"
    )
    func pressedFirst() throws {
        press("start")
        time.pass(.seconds(600))
        laptop.doze(.seconds(3_600))
        agent.recordSuspension()
        press("pause")
        #expect(status.hasPrefix("Work paused  15:0"), "\(status)")
        press("resume")
        laptop.doze(.seconds(3_600))
        agent.recordSuspension()
        #expect(laptop.run("start").status == .notNow)
        #expect(!status.contains("paused"))
        time.pass(.seconds(2))
        #expect(status.hasPrefix("Work paused"), "\(status)")
    }

    @Test("its pause can be undone")
    func undone() {
        workAndDoze(10)
        #expect(laptop.run("undo").status == .done)
        #expect(status.hasPrefix("Work  04:"), "\(status)")
    }

    @Test("keeps time asleep if the setting says so")
    func keeps() {
        press("set sleep=keep")
        workAndDoze(40)
        time.pass(.seconds(70))
        #expect(heard.notices == [])
        #expect(!status.contains("paused"))
        #expect(heard.told.last == [.phaseEnd, .phaseStart])
    }

    @Test("a short sleep, and one during a pause or while nothing runs, changes nothing")
    func nothing() {
        laptop.doze(.seconds(3_600))
        time.pass(.seconds(7))
        #expect(heard.notices == [])
        workAndDoze(5)
        #expect(heard.notices == [])
        press("pause")
        laptop.doze(.seconds(3_600))
        time.pass(.seconds(7))
        #expect(heard.notices == [])
        press("stop")
        #expect(laptop.run("log").output.contains("15m"), "\(laptop.run("log").output)")
    }

    @Test("a press before the agent has noticed the suspension decides")
    func pressed() {
        press("start")
        time.pass(.seconds(600))
        laptop.doze(.seconds(900))
        laptop.pass(.seconds(1))
        press("label Awake")
        time.pass(.seconds(70))
        #expect(heard.notices == [])
        #expect(!status.contains("paused"))
    }

    @Test("a break goes on, and its end is told; work waits to be started")
    func breaks() {
        press("start")
        press("skip")
        time.pass(.seconds(60))
        laptop.doze(.seconds(1_200))
        time.pass(.seconds(7))
        #expect(heard.told.last == [.phaseEnd, .pause])
        #expect(
            status.hasPrefix("Work  25:00  ") && status.hasSuffix("  (waits to be started)\n"), "\(status)")
    }
}
