import ClientSupport
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import FocusSync
import FocusText
import TestSupport
import Testing

@Suite("A log as text")
struct LogImportTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let device: Device
    /// The laptop's own replica, which has three events.
    private let own = ReplicaID(rawValue: 0xA)

    init() throws {
        laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        device = try Device(laptop.machine)
        _ = try device.perform(.start(label: "Write"))
        #expect(try device.store.eventCount() == 3)
    }

    /// Returns an event of the laptop, stamped this long after its last press.
    private func event(_ seq: UInt64, after time: Duration = .seconds(1), label: String = "Read") throws
        -> Event
    {
        let stamp = try #require(Stamp(time: 1_763_661_600_000 + time, counter: 0))
        return Event(replica: own, seq: seq, stamp: stamp, action: .start(.init(label: label)))
    }

    /// Expects that an import is refused for this reason, and changes nothing.
    private func expect(_ refusal: LogImport.Refusal, of lines: EventLine...) throws {
        let before = try device.store.allStoredEvents()
        let log = try EventLog(lines.map(\.event))
        #expect(throws: refusal) {
            _ = try device.store.author(now: device.now()) { authoring in
                _ = try LogImport(device: device, lines: lines, log: log, now: device.now()).run(&authoring)
            }
        }
        #expect(try device.store.allStoredEvents() == before)
    }

    @Test("in a group: what lies ahead by more than a server takes, and what is under another key")
    func inGroup() throws {
        try StagedServer(VirtualTime(laptop)).admit(device)
        let ahead = try event(4, after: .milliseconds(120_001))
        try expect(.ahead(ahead.id), of: EventLine(ahead))
        let sealed = try event(4)
        try expect(.unknownEpoch(sealed.id), of: EventLine(sealed, epoch: EpochID(rawValue: 77)))
    }

    @Test(
        "what has a hole before it, is too long to be sent, says something else here, or can't be after what is here"
    )
    func alone() throws {
        try expect(.gap(own, 4), of: EventLine(event(5)))
        let long = try event(4, label: String(repeating: "x", count: SealedEvent.plainLimit))
        try expect(.tooLong(long.id), of: EventLine(long))
        let other = try event(3)
        try expect(.parted(other.id), of: EventLine(other))
        let early = try event(4, after: .seconds(-60))
        try expect(.malformed(early.id), of: EventLine(early))
    }

    @Test(
        "a log is taken whole, with its settings, by a laptop that has only its name and first settings; one that was pressed takes its history"
    )
    func whole() throws {
        let other = TemporaryHome()
        let fresh = try Device(TestContext(home: other.path, now: 1_763_661_600_000).machine)
        _ = try fresh.perform(.nameDevice("desk"))
        let start = Event(
            replica: ReplicaID(rawValue: 0xB), seq: 1, stamp: try event(4).stamp,
            action: .start(.init(label: "Read")))
        let log = try EventLog([start])
        func take(_ device: Device) throws -> LogImport.Outcome? {
            var outcome: LogImport.Outcome?
            _ = try device.store.author(now: device.now()) { authoring in
                outcome = try LogImport(
                    device: device, lines: [EventLine(start)], log: log, now: device.now() + .seconds(9)
                ).run(&authoring)
            }
            return outcome
        }
        #expect(try fresh.store.eventCount() == 2)
        #expect(try take(fresh) == .merged(new: 1, known: 0, branched: 0))
        #expect(try fresh.store.state().settings == log.replayed().0.settings)
        #expect(try fresh.store.state().settings != Device(laptop.machine).store.state().settings)
        // Neither undo nor redo is about the first settings, because nobody pressed them.
        #expect(try fresh.perform(.undo, consent: .always).undoneEvent == start)
        #expect(throws: PerformFailure.notNow(.nothingToUndo)) { try fresh.perform(.undo) }
        _ = try fresh.perform(.redo, consent: .always)
        #expect(throws: PerformFailure.notNow(.nothingToRedo)) { try fresh.perform(.redo) }
        #expect(try fresh.store.state().settings == log.replayed().0.settings)
        #expect(try take(device) == .copiedHistory(new: 0, known: 0), "a phase in progress is no history")
    }
}
