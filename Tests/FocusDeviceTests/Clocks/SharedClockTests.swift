import ClientSupport
import FocusClient
import FocusCore
import FocusDevice
import FocusStore
import FocusSync
import Synchronization
import TestSupport
import Testing

@Suite("Shared time")
struct SharedClockTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let wall: SharedInstant = 1_763_661_600_000

    init() { laptop = TestContext(home: home.path, now: wall) }

    /// Returns the estimate of a sync session that found this offset as its first reading.
    private func learnt(_ offset: Duration) -> ClockEstimate {
        ClockEstimate(offset: offset, first: FirstReading(offset: offset, instant: 5_000_000))
    }

    /// Returns the offset between shared time and the time since boot.
    private func offset(_ shared: SharedInstant, _ sinceBoot: Duration = .seconds(5)) -> Duration {
        shared - .zero - sinceBoot
    }

    @Test("before the server was heard, it is the wall clock")
    func first() throws {
        let device = try Device(laptop.machine)
        #expect(try device.now() == wall)
        laptop.set { $0.wall -= 5000 }
        #expect(try device.now() == wall - 5000)
        #expect(
            try device.clock().estimate
                == ClockEstimate(offset: offset(wall - 5000)))
    }

    @Test("once the server was heard, it follows the clock since boot and not the wall clock")
    func learnt() throws {
        let device = try Device(laptop.machine)
        let estimate = learnt(offset(wall + 7000))
        try device.record(estimate)
        #expect(try device.now() == wall + 7000)
        laptop.pass(.seconds(10))
        laptop.set { $0.wall -= 3_600_000 }
        #expect(try device.now() == wall + 17_000)
        #expect(try device.clock().estimate == estimate)
    }

    @Test("after a restart it is the wall clock, corrected by the last known error")
    func restarted() throws {
        let device = try Device(laptop.machine)
        try device.record(learnt(offset(wall + 7000)))
        laptop.set {
            $0.wall += 60_000
            $0.sinceBoot = 1_000_000
            $0.boot = "boot-2"
        }
        #expect(try device.now() == wall + 67_000)
        #expect(
            try device.clock().estimate
                == ClockEstimate(offset: offset(wall + 67_000, .seconds(1))))
        #expect(try device.clock().fromWall == .seconds(7))
    }

    @Test("presses are stamped in shared time")
    func stamped() throws {
        let device = try Device(laptop.machine)
        try device.record(learnt(offset(wall - 7000)))
        #expect(try device.perform(.start(label: nil)).events.last?.time == wall - 7000)
    }

    @Test("a sample is decoded from its bytes, and from incomplete bytes it isn't")
    func coding() throws {
        for sample in [
            ClockSample(
                boot: "b", offset: .microseconds(Int64.min), fromWall: .milliseconds(Int64.max), first: nil),
            ClockSample(
                boot: nil, offset: .zero, fromWall: .milliseconds(-1),
                first: FirstReading(offset: .microseconds(Int64.max), instant: .distantPast)),
        ] {
            #expect(try ClockSample(encoded: sample.encoded()) == sample)
            #expect(throws: ByteReader.Failure.self) { try ClockSample(encoded: sample.encoded().dropLast()) }
        }
    }

    @Test("the first reading of a boot stays until the next boot, even if a later one is recorded")
    func firstReading() throws {
        let device = try Device(laptop.machine)
        let start = learnt(wall - .zero)
        try device.record(start)
        // A command that began before there was an estimate records its own first reading.
        try device.record(learnt(wall - .zero + .seconds(90)))
        #expect(
            try device.clock().estimate
                == ClockEstimate(offset: wall - .zero + .seconds(90), first: start.first))
        laptop.set {
            $0.sinceBoot = 1_000_000
            $0.boot = "boot-2"
        }
        #expect(try device.clock().estimate.first == nil)
    }

    @Test("a stored offset without a first reading counts as the first reading")
    func keptBefore() throws {
        let device = try Device(laptop.machine)
        var writer = ByteWriter()
        writer.string(try #require(laptop.context.clocks.boot()))
        writer.signed(wall.milliseconds * 1000)
        writer.signed(Duration.zero)
        try device.store.setValue(writer.bytes, for: .clock)
        #expect(
            try device.clock().estimate
                == ClockEstimate(
                    offset: wall - .zero,
                    first: FirstReading(offset: wall - .zero, instant: 5_000_000)))
    }

    /// Offsets that make no sense: shared time would be out of range, or before 1970.
    private static let nonsense = [Int64.min, -5_000_001, .max - 4_999_999, .max].map {
        Duration.microseconds($0)
    }

    @Test("a nonsensical offset isn't recorded, and the estimate before it stays", arguments: nonsense)
    func overflow(nonsense: Duration) throws {
        let device = try Device(laptop.machine)
        try device.record(ClockEstimate(offset: nonsense))
        #expect(try device.now() == wall)
        #expect(try device.clock().estimate == ClockEstimate(offset: offset(wall)))
        let estimate = learnt(offset(wall + 7000))
        try device.record(estimate)
        try device.record(ClockEstimate(offset: nonsense))
        #expect(try device.now() == wall + 7000)
        #expect(try device.clock().estimate == estimate)
    }

    @Test("a nonsensical offset in the database is ignored", arguments: nonsense)
    func keptNonsense(nonsense: Duration) throws {
        let device = try Device(laptop.machine)
        let boot = laptop.context.clocks.boot()
        let sample = ClockSample(
            boot: boot, offset: nonsense,
            fromWall: .milliseconds(nonsense < .zero ? Int64.min : Int64.max), first: nil)
        try device.store.setValue(sample.encoded(), for: .clock)
        #expect(try device.now() == wall)
        #expect(try device.clock().estimate == ClockEstimate(offset: offset(wall)))
        #expect(try device.perform(.start(label: nil)).events.last?.time == wall)
        // After a restart only the wall clock is left.
        laptop.set { $0.boot = "boot-2" }
        #expect(try device.now() == wall)
        #expect(try device.clock().estimate == ClockEstimate(offset: offset(wall)))
    }
}
