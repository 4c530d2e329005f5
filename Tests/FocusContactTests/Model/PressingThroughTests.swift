import ClientSupport
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import TestSupport
import Testing

/// Presses on a view that are made just when the timer changes.
@Suite("A press on a view that shows the timer")
struct PressingThroughTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let time: VirtualTime
    private let model: DeviceModel

    init() throws {
        time = VirtualTime(laptop)
        model = try DeviceModel(Device(laptop.machine), time) {}
    }

    /// Performs an interaction of a person who sees what the view shows.
    private func press(_ interaction: Interaction) throws {
        try model.perform(interaction, on: model.shown)
    }

    /// Runs a command of another process, and lets the view show the result.
    private func elsewhere(_ words: String) {
        _ = laptop.run(words)
        model.lookIfChanged()
    }

    private var isRunning: Bool { model.presentation.isRunning }

    @Test("a person's own presses are carried out at once, however fast they follow each other")
    func own() throws {
        try press(.toggle)
        try press(.toggle)
        try press(.toggle)
        #expect(isRunning)
        try press(.skip)
        try press(.skip)
        try press(.undo)
        try press(.skip)
        #expect(model.presentation.activity == .work)
        #expect(model.status.state.current?.phase.ordinal == 2)
        try press(.stop)
        try press(.toggle)
        #expect(isRunning)
    }

    @Test(
        "a press within a second of a pause from elsewhere is refused, and later it is performed",
        arguments: [0, 500, 999, 1000])
    func shownAlready(wait: Int) throws {
        try press(.toggle)
        time.pass(.seconds(10))
        elsewhere("pause")
        #expect(!isRunning)
        time.pass(.milliseconds(wait))
        if wait < 1000 {
            #expect(throws: PerformFailure.self) { try press(.toggle) }
            #expect(!isRunning)
        }
        try press(.toggle)
        #expect(isRunning, "the second time it is meant")
    }

    @Test("a repeated press is performed, unless the timer has changed once more")
    func again() throws {
        try press(.toggle)
        time.pass(.seconds(10))
        elsewhere("pause")
        #expect(throws: PerformFailure.self) { try press(.skip) }
        elsewhere("resume")
        #expect(throws: PerformFailure.self) { try press(.skip) }
        #expect(model.presentation.activity == .work)
        try press(.skip)
        #expect(model.presentation.activity == .shortBreak)
    }

    @Test("a press is refused if the latest change isn't shown yet, and performed when it is repeated")
    func notShownYet() throws {
        try press(.toggle)
        time.pass(.seconds(10))
        _ = laptop.run("pause")
        #expect(throws: PerformFailure.self) { try press(.toggle) }
        #expect(!isRunning)
        try press(.toggle)
        #expect(isRunning)
    }

    @Test("a skip just after the end of work is refused, and the next one skips the break")
    func ranOut() throws {
        try press(.toggle)
        time.pass(.seconds(1500))
        let failure = #expect(throws: PerformFailure.self) { try press(.skip) }
        let run = try #require(model.status.state.current?.id)
        #expect(failure == .notNow(.changed(to: .running(run, ordinal: 1))))
        try press(.skip)
        #expect(model.presentation.activity == .work)
    }

    @Test("time isn't taken from the next phase when the shown one has just run out")
    func lessTime() throws {
        try model.perform(.set(.workLength, 120))
        try press(.toggle)
        let run = try #require(model.status.state.current?.id)
        try press(.addTime(.seconds(-60)))
        try press(.addTime(.seconds(-60)))
        time.pass(.milliseconds(999))
        let failure = #expect(throws: PerformFailure.self) { try press(.addTime(.seconds(-60))) }
        #expect(failure == .notNow(.changed(to: .running(run, ordinal: 1))))
        #expect(model.presentation.remaining == 299_001)
        try press(.addTime(.seconds(-60)))
        #expect(model.presentation.remaining == 239_001)
    }

    @Test("a change from elsewhere after one's own press counts as one from elsewhere")
    func ownThenElsewhere() throws {
        try press(.toggle)
        elsewhere("pause")
        #expect(throws: PerformFailure.self) { try press(.toggle) }
    }

    @Test("a view that has just been opened takes presses at once")
    func opened() throws {
        _ = laptop.run("start")
        let model = try DeviceModel(Device(laptop.machine), time) {}
        try model.perform(.toggle, on: model.shown)
        #expect(!model.presentation.isRunning)
    }

    @Test("a press that names no screen, such as a command's, acts on the present state")
    func noScreen() throws {
        try press(.toggle)
        elsewhere("pause")
        try model.perform(.toggle)
        #expect(isRunning)
    }

    @Test("time asleep counts, so a change before a suspension isn't recent")
    func dozing() throws {
        try press(.toggle)
        elsewhere("pause")
        laptop.doze(.seconds(60))
        try press(.toggle)
        #expect(isRunning)
    }

    @Test("the reason of a refusal says what the timer shows")
    func words() {
        let run = RunID(stamp: .zero, replica: ReplicaID(rawValue: 1))
        let table: [(ShownTimer, String)] = [
            (.stopped, "the session has ended"), (.running(run, ordinal: 0), "work is running"),
            (.running(run, ordinal: 3), "a break is running"), (.paused(run, ordinal: 2), "work is paused"),
            (.paused(run, ordinal: 1), "a break is paused"),
        ]
        for (shown, words) in table {
            #expect(
                shown.changeSentence
                    == "The timer changed just now: \(words). Press again if you mean that.")
        }
    }
}
