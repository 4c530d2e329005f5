import ClientSupport
import FocusContact
import FocusCore
import FocusDevice
import FocusStore
import TestSupport
import Testing

@Suite("The model that views follow")
struct DeviceModelTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let time: VirtualTime

    init() {
        time = VirtualTime(laptop)
    }

    private func model(announceChanges: @escaping () -> Void = {}) throws -> DeviceModel {
        try DeviceModel(Device(laptop.machine), time, announceChanges: announceChanges)
    }

    /// A view that records everything it is shown.
    private final class View {
        var shown: [String] = []
        var following: ModelSubscription?
    }

    private func view(of model: DeviceModel) -> View {
        let view = View()
        view.following = ModelSubscription(time) { [weak view] in
            let shown = model.presentation
            view?.shown.append("\(shown.statusLabel.rawValue) \(shown.clock)")
        }
        return view
    }

    @Test("a view is given the present value at once, and then each change")
    func following() throws {
        let model = try model()
        let view = view(of: model)
        #expect(view.shown == ["Work 25:00"])
        try model.perform(.start(label: nil))
        #expect(view.shown.count == 1, "not before the turn is over")
        time.endTurn()
        #expect(view.shown.count == 2)
        try model.perform(.pause)
        try model.perform(.label("Write"))
        time.endTurn()
        #expect(view.shown.dropFirst(2) == ["Work 25:00"], "once, however much has changed")
        view.following?.cancel()
        try model.perform(.stop)
        time.endTurn()
        #expect(view.shown.count == 3)
    }

    @Test("a running timer is shown at each whole second of its clock")
    func seconds() throws {
        let model = try model()
        let view = view(of: model)
        try model.perform(.start(label: nil))
        time.pass(.milliseconds(2_500))
        #expect(view.shown == ["Work 25:00", "Work 25:00", "Work 24:59", "Work 24:58"])
        try model.perform(.pause)
        time.pass(.seconds(5))
        try model.perform(.resume)
        time.endTurn()
        view.shown = []
        // The timer was paused half-way through a second, and goes on from there.
        time.pass(.milliseconds(499))
        #expect(view.shown == [])
        time.pass(.milliseconds(1))
        #expect(view.shown == ["Work 24:57"])
    }

    @Test("a paused timer is shown when it would end a minute later")
    func pausedEnd() throws {
        let model = try model()
        let view = view(of: model)
        time.pass(.seconds(10))
        try model.perform(.start(label: nil))
        time.pass(.seconds(90))
        try model.perform(.pause)
        time.endTurn()
        let (end, count) = (try #require(model.presentation.end), view.shown.count)
        // The phase would have ended at 10 seconds past the minute.
        time.pass(.milliseconds(49_999))
        #expect(model.presentation.end == end && view.shown.count == count)
        time.pass(.milliseconds(1))
        #expect(model.presentation.end == end + minutes(1) && view.shown.count == count + 1)
    }

    @Test("a phase's end is shown on its second")
    func phaseEnd() throws {
        let model = try model()
        let view = view(of: model)
        try model.perform(.start(label: nil))
        time.pass(.seconds(1_500))
        #expect(view.shown.suffix(2) == ["Work 00:01", "Break 05:00"])
    }

    @Test("while nothing runs, another laptop's press is shown again once a minute, for ten minutes")
    func pressElsewhere() throws {
        let model = try model()
        try model.perform(.start(label: nil))
        time.pass(.seconds(30))
        let other = try Device(laptop.machine)
        try other.enterGroup()
        let run = try #require(model.status.state.current?.id)
        try other.merge(.stop(run, at: nil), on: "work", at: other.now())
        model.lookIfChanged()
        let view = view(of: model)
        #expect(model.presentation.press?.minutes == 0)
        #expect(time.pass(.milliseconds(59_999)) == 0)
        time.pass(.milliseconds(1))
        #expect(model.presentation.press?.minutes == 1)
        time.pass(.seconds(480))
        #expect(model.presentation.press?.minutes == 9)
        time.pass(.seconds(60))
        #expect(model.presentation.press == nil)
        #expect(view.shown.count == 11)
        #expect(time.alarms == 0)
    }

    @Test("a stopped timer causes no wakeups")
    func idling() throws {
        let model = try model()
        let view = view(of: model)
        #expect(time.alarms == 0)
        try model.perform(.start(label: nil))
        try model.perform(.stop)
        time.endTurn()
        #expect(time.alarms == 0)
        #expect(time.pass(.seconds(86_400)) == 0)
        #expect(view.shown.count == 2)
    }

    @Test("a session that was left paused closes at its limit, and that is shown")
    func limit() throws {
        let model = try model()
        let view = view(of: model)
        try model.perform(.start(label: nil))
        try model.perform(.pause)
        let calls = time.pass(.seconds(43_200))
        #expect(view.shown.last == "Work 25:00")
        #expect(model.presentation.showsStop == false)
        #expect(calls < 2_200, "two looks a minute are enough, and one drawing of the end")
    }

    @Test("what another process pressed is shown once the model looks")
    func looking() throws {
        let model = try model()
        let view = view(of: model)
        model.lookIfChanged()
        time.endTurn()
        #expect(view.shown.count == 1, "nothing has changed")
        _ = laptop.run("start Write")
        model.lookIfChanged()
        time.endTurn()
        #expect(view.shown.count == 2)
        #expect(model.presentation.label == "Write")
        #expect(model.presentation.isRunning)
    }

    @Test("a log that can't be read is tried again, and is no failure any more once it can be read")
    func unreadable() throws {
        let model = try model()
        let other = try Device(laptop.machine)
        let group = StoredValueKey(rawValue: "group")
        try other.store.setValue([1], for: group)
        model.lookIfChanged()
        #expect(model.failure != nil)
        time.pass(.seconds(4))
        #expect(model.failure != nil)
        try other.store.setValue(nil, for: group)
        _ = try other.perform(.start(label: nil))
        time.pass(.seconds(2))
        #expect(model.failure == nil)
        #expect(model.presentation.isRunning)
    }

    @Test("what is pressed is shown at once, and the others are told")
    func pressing() throws {
        var told = 0
        let model = try model { told += 1 }
        try model.perform(.start(label: nil))
        #expect(model.presentation.mainButton == .pause)
        #expect(told == 1)
        #expect(throws: PerformFailure.notNow(.alreadyRunning)) { try model.perform(.start(label: nil)) }
        #expect(told == 1, "nothing was pressed")
    }

    @Test("the history is read again when a phase has ended, and when the log has changed")
    func history() throws {
        let model = try model()
        #expect(try model.history().records.isEmpty)
        try model.perform(.start(label: "Write"))
        time.pass(.seconds(1_600))
        #expect(try model.history().records.map(\.activity) == [.work])
        try model.perform(.skip)
        #expect(try model.history().records.map(\.activity) == [.work, .shortBreak])
        try model.perform(.undo)
        #expect(try model.history().records.map(\.activity) == [.work])
    }

    @Test("the history's version stays while presses and time add no entry to it")
    func version() throws {
        let model = try model()
        try model.perform(.start(label: "Write"))
        time.pass(.seconds(60))
        try model.perform(.stop)
        #expect(try model.history().records.count == 1)
        let version = model.historyVersion
        try model.perform(.start(label: "Write"))
        for _ in 0..<5 {
            time.pass(.seconds(10))
            try model.perform(.toggle)
            #expect(try model.history().records.count == 1)
        }
        #expect(model.historyVersion == version)
        try model.perform(.skip)
        #expect(try model.history().records.count == 2)
        #expect(model.historyVersion != version)
        try model.perform(.undo)
        #expect(try model.history().records.count == 1)
    }

    @Test("the connection to the group is part of the presentation")
    func sharing() throws {
        let model = try model()
        #expect(model.presentation.sharing == .alone)
        let other = try Device(laptop.machine)
        try other.enterGroup()
        let key = Digest(InlineArray(repeating: 0xAB))
        try other.record(ConnectionState(.online, online: [key]))
        model.lookIfChanged()
        #expect(
            model.presentation.sharing
                == .group(GroupConnectionStatus(.online, pending: model.status.pending, others: ["abababab"]))
        )
        // The agent has ended without notice. Its record of the connection stays valid for a while.
        time.pass(.seconds(100))
        #expect(
            model.presentation.sharing
                == .group(GroupConnectionStatus(.offline, pending: model.status.pending)))
        #expect(time.alarms == 0)
    }
}
