import ClientSupport
import FocusAgent
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusText
import TestSupport
import Testing

@Suite("The buttons of notifications")
final class NotificationButtonTests {
    private let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
    private let time: VirtualTime
    private var shown: [FocusFront.Notification] = []

    init() { time = VirtualTime(laptop) }

    /// Starts work after setting `settings`, and lets `length` pass.
    private func work(_ settings: String, for length: Duration) throws {
        _ = laptop.run("set \(settings)")
        _ = laptop.run("start")
        let detector = HappeningDetector(try Device(laptop.machine), time, isCaughtUp: { true }) {
            [unowned self] in
            if let notification = FocusFront.Notification($0, by: .utc) { shown.append(notification) }
        }
        try detector.refresh()
        time.pass(length)
        try detector.refresh()
    }

    @Test("at the end of a phase they start the next one if it waits, and otherwise change it")
    func ends() throws {
        try work("autoStartBreaks=off", for: .seconds(1_500))
        #expect(shown.map(\.buttons) == [[.startBreak, .skip]])
        #expect(shown.first?.buttons.map(\.request) == [.press(.toggle), .press(.skip)])
        _ = laptop.run("stop")
        try work("autoStartBreaks=on autoStartWork=off", for: .seconds(1_800))
        #expect(shown.dropFirst().map(\.buttons) == [[.skip, .addTime], [.startWork, .skip]])
    }

    @Test("in overtime they begin the break, even if breaks don't begin by themselves, or add time")
    func overtime() throws {
        try work("overtime=on autoStartBreaks=off", for: .seconds(1_500))
        #expect(shown.map(\.buttons) == [[.beginBreak, .addTime]])
        #expect(shown.first?.buttons.first?.title == "Start break")
        #expect(shown.first?.buttons.first?.request == .press(.rest))
    }

    @Test("the warning before the end offers more time, and is over once the timer has changed")
    func warning() throws {
        try work("warnBefore=2m autoStartBreaks=off idleLimit=1h", for: .seconds(1_380))
        #expect(shown.map(\.buttons) == [[.addTime, .skip]])
        #expect(shown.first?.buttons.first?.request == .press(.addTime(.seconds(300))))
        let before = try #require(shown.first)
        let state = try Device(laptop.machine).store.state()
        let present = ShownTimer(TimerState(state, at: SharedInstant(milliseconds: 1_763_661_600_000)))
        #expect(!before.isOver(at: present))
        #expect(before.isOver(at: .stopped))
    }
}
