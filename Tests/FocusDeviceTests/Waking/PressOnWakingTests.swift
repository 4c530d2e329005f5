import ClientSupport
import CommandLineKit
import FocusClient
import FocusCore
import FocusDevice
import FocusStore
import TestSupport
import Testing

@Suite("Presses after a suspension, before the server was heard")
struct PressOnWakingTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    /// Puts the laptop into a group with an unreachable server.
    init() throws {
        laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        let epoch = StoredEpoch(id: EpochID(rawValue: 1), key: [1], predecessor: nil)
        try device.store.enter(GroupID(high: 1, low: 2), epoch)
    }

    private func workAndDoze(minutes: Int64) throws {
        #expect(laptop.run("start Write").status == .done)
        laptop.pass(.seconds(600))
        let from = laptop.context.clocks.sinceBoot()
        laptop.doze(.seconds(60 * minutes))
        laptop.pass(.seconds(7))
        let device = try Device(laptop.machine)
        #expect(try device.record(DetectedSuspension(from: from, length: .seconds(60 * minutes))) == nil)
    }

    private var status: String { laptop.run("status").output }

    @Test("a pause takes effect when the laptop fell asleep", arguments: ["pause", "toggle"])
    func pause(command: String) throws {
        try workAndDoze(minutes: 120)
        let pressed = laptop.run(command)
        #expect(pressed.status == .done)
        #expect(pressed.output.hasPrefix("Work paused  15:00"), "\(pressed.output)")
        #expect(pressed.messages.contains("paused as of 2h ago"), "\(pressed.messages)")
        #expect(laptop.run("pause").status == .notNow)
    }

    @Test("a stop takes effect when the laptop fell asleep", arguments: [120, 15 * 60] as [Int64])
    func stop(minutes: Int64) throws {
        try workAndDoze(minutes: minutes)
        #expect(laptop.run("stop").status == .done)
        #expect(laptop.run("log").output.contains("10m"))
        #expect(!laptop.run("log").output.contains("25m"))
    }

    @Test("a start ends a session that seems closed, at the time when the laptop fell asleep")
    func start() throws {
        try workAndDoze(minutes: 15 * 60)
        #expect(status.contains("stopped"))
        #expect(laptop.run("start Read").output.hasPrefix("Work  25:00"))
        let (state, journal) = try Device(laptop.machine).store.history()
        #expect(journal.phaseCount == 1)
        #expect(state.current?.label == "Read")
    }

    @Test("a start is refused while the session runs, and nothing is written")
    func refused() throws {
        try workAndDoze(minutes: 10)
        let count = try Device(laptop.machine).store.eventCount()
        #expect(laptop.run("start").status == .notNow)
        #expect(try Device(laptop.machine).store.eventCount() == count)
        #expect(laptop.run("resume").status == .done)
        #expect(status.hasPrefix("Work  15:00"), "\(status)")
    }

    @Test("a skip acts on the phase that was in progress")
    func skip() throws {
        try workAndDoze(minutes: 60)
        #expect(laptop.run("skip").output.contains("Break"))
        let (_, journal) = try Device(laptop.machine).store.history()
        #expect(journal.phaseCount == 1)
    }

    @Test("a stop backdated to before the suspension takes effect then")
    func before() throws {
        try workAndDoze(minutes: 120)
        #expect(laptop.run("stop --ago 2h5m").status == .done)
        let (_, journal) = try Device(laptop.machine).store.history()
        #expect(journal.phaseCount == 1)
        #expect(laptop.run("log").output.contains("5m"))
    }

    @Test("a suspension is decided once: the next press finds nothing to decide")
    func once() throws {
        try workAndDoze(minutes: 120)
        _ = laptop.run("resume")
        laptop.pass(.seconds(60))
        #expect(laptop.run("pause").output.hasPrefix("Work paused  14:00"))
        let pauses = try Device(laptop.machine).store.allStoredEvents().compactMap(\.event).filter {
            if case .pause = $0.action { true } else { false }
        }
        #expect(pauses.count == 2)
    }
}
