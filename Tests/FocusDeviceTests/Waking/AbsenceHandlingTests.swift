import ClientSupport
import CommandLineKit
import FocusAgent
import FocusClient
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import FocusText
import SQLiteKit
import TestSupport
import Testing

@Suite("A laptop that nobody is at")
final class AbsenceHandlingTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let time: VirtualTime
    private let heard = Heard()
    private var agent: Agent

    /// Records the questions that the agent asks, and its notices.
    private final class Heard: AgentObserver {
        var questions: [AbsenceQuestion] = []
        var notices: [SyncNotice] = []

        func log(_ event: AgentEvent) {}
        func noticed(_ notice: SyncNotice) { notices.append(notice) }
        func asked(_ question: AbsenceQuestion?) { if let question { questions.append(question) } }
        func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {}
        func changed(_ what: AgentChange) {}
        func ended() {}
    }

    init() throws {
        laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        time = VirtualTime(laptop)
        agent = try AbsenceHandlingTests.agent(laptop, time, heard)
    }

    private static func agent(_ laptop: TestContext, _ time: VirtualTime, _ heard: Heard) throws -> Agent {
        let agent = Agent(
            try Device(laptop.machine), by: noRoutes, time: time,
            dice: SeededGenerator(seed: 1))
        agent.observer = heard
        try agent.start()
        return agent
    }

    private func press(_ words: String) {
        #expect(laptop.run(words).status == .done, "\(laptop.messages)")
        agent.poked()
    }

    private func pass(minutes: Int64) { time.pass(.seconds(60 * minutes)) }

    /// Works for ten minutes. Then nobody is there for `minutes` minutes, of which the desktop tells after ten.
    private func workAndLeave(for minutes: Int64) {
        press("start")
        pass(minutes: 10)
        leave(for: minutes)
    }

    private func leave(for minutes: Int64) {
        pass(minutes: 10)
        agent.record(.absent(for: .seconds(600)))
        pass(minutes: minutes - 10)
        agent.record(.present)
    }

    private var status: String { laptop.run("status").output }
    private var idle: String { laptop.run("idle").output }

    private var isAsked: Bool {
        get throws { try JSON(parsing: laptop.run("status --json").output.utf8)["idle"] != .null }
    }

    @Test("is asked about when somebody returns, everywhere and once")
    func asked() throws {
        workAndLeave(for: 12)
        pass(minutes: 1)
        #expect(heard.questions.count == 1)
        #expect(heard.questions.first?.length == .seconds(720))
        #expect(try isAsked)
        #expect(idle.contains("(12m)") && idle.contains("'focus idle drop'"))
        #expect(laptop.run("status --format {idle}").output.contains("(12m)"))
        #expect(status.hasPrefix("Work  02:00"), "\(status)")
    }

    @Test("says that nothing is asked if nothing is")
    func notAsked() throws {
        press("start")
        #expect(idle == "Nothing is asked about time away.\n")
        for answer in AbsenceAnswer.allCases {
            let refused = laptop.run("idle \(answer.rawValue)")
            #expect(refused.status == .notNow && refused.messages.contains("Nothing is asked"))
        }
        agent.record(.absent(for: .zero))
        pass(minutes: 5)
        agent.record(.present)
        #expect(heard.questions == [] && idle.hasPrefix("Nothing"), "five minutes are too short")
    }

    @Test("keeps the time, takes it out or pauses as of then, as it is told")
    func answers() throws {
        for (answer, shown) in [
            ("keep", "Work  01:00"), ("drop", "Work  13:00"), ("pause", "Work paused  15:00"),
        ] {
            workAndLeave(for: 12)
            pass(minutes: 2)
            press("idle \(answer)")
            #expect(status.hasPrefix(shown), "\(answer): \(status)")
            #expect(try !isAsked)
            press("stop")
        }
    }

    @Test("takes the time out, and counts it again after two undos")
    func undone() throws {
        workAndLeave(for: 12)
        press("idle drop")
        #expect(status.hasPrefix("Work  15:00"))
        press("undo")
        press("undo")
        #expect(status.hasPrefix("Work  03:00"), "\(status)")
    }

    @Test("is asked about after its agent was killed, before the return or after")
    func restarted() throws {
        press("start")
        pass(minutes: 20)
        agent.record(.absent(for: .seconds(600)))
        agent = try AbsenceHandlingTests.agent(laptop, time, heard)
        #expect(heard.questions == [])
        pass(minutes: 2)
        agent.record(.present)
        #expect(heard.questions.map(\.length) == [.seconds(720)])
        agent = try AbsenceHandlingTests.agent(laptop, time, heard)
        #expect(heard.questions.count == 2, "the new agent doesn't know that it was asked")
        press("idle drop")
        #expect(status.hasPrefix("Work  15:00"), "\(status)")
    }

    @Test("isn't asked about any more once the timer was pressed here, or a label given")
    func implied() throws {
        for words in ["pause", "skip", "stop", "label Read", "add 1m"] {
            workAndLeave(for: 12)
            #expect(try isAsked)
            press(words)
            #expect(try !isAsked, "\(words)")
            _ = laptop.run("stop")
        }
        workAndLeave(for: 12)
        press("log add Read --for 1h")
        #expect(try isAsked, "the history is no press on the timer")
    }

    @Test("answers each question once, and only the one that was shown")
    func twice() throws {
        workAndLeave(for: 12)
        let device = try Device(laptop.machine)
        let first = try #require(try device.absenceQuestion())
        _ = try device.answer(.drop, to: first)
        #expect(throws: PerformFailure.notNow(InteractionError.nothingAsked)) {
            try device.answer(.pause, to: first)
        }
        #expect(throws: PerformFailure.notNow(InteractionError.nothingAsked)) {
            try Device(laptop.machine).answer(.keep)
        }
        leave(for: 11)
        #expect(throws: PerformFailure.notNow(InteractionError.nothingAsked)) {
            try device.answer(.pause, to: first)
        }
        let second: AbsenceQuestion = try #require(heard.questions.last)
        _ = try device.answer(.keep, to: second)
        #expect(status.hasPrefix("Work  04:00"), "\(status)")
    }

    @Test("is said to be noted before somebody is back")
    func noted() {
        press("start")
        press("idle begin")
        #expect(idle.hasPrefix("It is noted that nobody is here."))
    }

    @Test("an answer that keeps the time writes nothing, so an undo of the press before it asks")
    func undoAfterKeeping() throws {
        workAndLeave(for: 12)
        press("idle keep")
        let undo = laptop.run("undo")
        #expect(undo.status == .notNow)
        #expect(
            undo.messages.hasPrefix("focus: Undoing the start (22m ago) goes further back than your answer"))
        press("pause")
        press("undo")
        #expect(try Device(laptop.machine).store.keptPress() != nil)
        press("undo --yes")
        #expect(status.contains("(stopped)"), "\(status)")
        #expect(try Device(laptop.machine).store.keptPress() == nil)
    }

    @Test("a return of less than five minutes is none")
    func shortReturn() throws {
        workAndLeave(for: 12)
        pass(minutes: 1)
        leave(for: 12)
        #expect(heard.questions.map(\.length) == [.seconds(720), .seconds(1_500)])
        press("idle drop")
        #expect(status.hasPrefix("Work  15:00"), "\(status)")
    }

    @Test("a later absence ends the question about the first, whose time is kept")
    func laterAbsence() throws {
        press("set workLength=2h")
        workAndLeave(for: 12)
        pass(minutes: 6)
        leave(for: 11)
        #expect(heard.questions.map(\.length) == [.seconds(720), .seconds(660)])
        press("idle drop")
        #expect(status.hasPrefix("Work  92:00"), "\(status)")
    }

    @Test("a machine that falls asleep meanwhile is paused once, as of when it was left")
    func suspended() throws {
        press("start")
        pass(minutes: 20)
        agent.record(.absent(for: .seconds(600)))
        laptop.doze(.seconds(3_600))
        agent.record(.present)
        time.pass(.seconds(7))
        #expect(heard.questions == [])
        #expect(heard.notices.count == 1)
        #expect(status.hasPrefix("Work paused  15:00"), "\(status)")
        #expect(try !isAsked)
    }

    @Test("time asleep that is kept is part of one question")
    func suspendedKept() throws {
        press("set sleep=keep")
        press("start")
        pass(minutes: 20)
        agent.record(.absent(for: .seconds(600)))
        laptop.doze(.seconds(3_600))
        agent.record(.present)
        #expect(heard.questions.map(\.length) == [.seconds(4_200)])
        #expect(heard.notices == [])
    }

    @Test("a screen that is locked as the machine falls asleep adds no question")
    func lockedSuspended() throws {
        press("start")
        pass(minutes: 10)
        laptop.doze(.seconds(3_600))
        agent.record(.absent(for: .zero))
        time.pass(.seconds(30))
        agent.record(.present)
        #expect(heard.questions == [] && heard.notices.count == 1)
        #expect(status.hasPrefix("Work paused  15:0"), "\(status)")
    }

    @Test("the setting, and a timer that doesn't run, turn it off")
    func off() throws {
        press("set idle=off")
        workAndLeave(for: 12)
        #expect(try heard.questions == [] && !isAsked)
        press("set idle=ask")
        press("pause")
        leave(for: 12)
        #expect(try heard.questions == [] && !isAsked)
    }

    @Test("a script tells it where the desktop doesn't")
    func script() throws {
        press("start")
        pass(minutes: 20)
        press("idle begin --ago 10m")
        press("idle begin")
        pass(minutes: 2)
        press("idle end")
        #expect(heard.questions.map(\.length) == [.seconds(720)])
    }

    @Test("matters while work runs, from the end of a break on, and until somebody returns")
    func matters() throws {
        let device = try Device(laptop.machine)
        func untilItMatters(isAway: Bool = false) throws -> Duration? {
            try device.untilAbsenceMatters(isAway: isAway)
        }
        #expect(try untilItMatters() == nil && untilItMatters(isAway: true) == nil)
        press("start")
        #expect(try untilItMatters() == .zero)
        press("set idle=off")
        #expect(try untilItMatters() == nil && untilItMatters(isAway: true) == nil)
        press("set idle=ask")
        press("skip")
        #expect(try untilItMatters() == .seconds(300) && untilItMatters(isAway: true) == .zero)
        press("pause")
        #expect(try untilItMatters() == nil && untilItMatters(isAway: true) == .zero)
    }

    @Test("an absence that can't be stored at once is asked about once it can be, with its own length")
    func stuck() throws {
        let disk = VirtualDisk()
        let store = try DeviceStore(path: "/log.db", on: .virtual(disk)) { ReplicaID(rawValue: 0xB) }
        let device = Device(try Home(laptop.machine.environment), store, laptop.machine.platform)
        agent = Agent(device, by: noRoutes, time: time, dice: SeededGenerator(seed: 1))
        agent.observer = heard
        try agent.start()
        _ = try device.perform(.start(label: nil))
        pass(minutes: 20)
        disk.isFull = true
        agent.record(.absent(for: .seconds(600)))
        laptop.pass(.seconds(120))
        agent.record(.present)
        laptop.pass(.seconds(60))
        #expect(heard.questions == [])
        disk.isFull = false
        agent.poked()
        #expect(heard.questions.map(\.length) == [.seconds(720)])
    }

    @Test("who answers is there, even if nothing has told so")
    func answeredMeanwhile() throws {
        press("start")
        pass(minutes: 20)
        agent.record(.absent(for: .seconds(600)))
        press("idle drop")
        #expect(status.hasPrefix("Work  15:00"), "\(status)")
        agent.record(.present)
        #expect(heard.questions == [])
    }
}
