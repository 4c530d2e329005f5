import FocusClient
import FocusCore
import FocusSync
import Synchronization
import Testing

@Suite("Shared time")
struct SharedClockTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let wall: Int64 = 1_763_661_600_000

    init() { laptop = TestContext(home: home.path, now: wall) }

    @Test("before the server was heard, it is the wall clock")
    func first() throws {
        let device = try Device(laptop.context)
        #expect(try device.now() == wall)
        laptop.set { $0.wall -= 5000 }
        #expect(try device.now() == wall - 5000)
        #expect(
            try device.clock().estimate
                == ClockEstimate(offset: (wall - 5000) * 1000 - 5_000_000, isFromThisBoot: false))
    }

    @Test("once it was, it goes by the clock since boot, whatever happens to the wall clock")
    func learnt() throws {
        let device = try Device(laptop.context)
        let offset = (wall + 7000) * 1000 - 5_000_000
        try device.noteClock(offset: offset)
        #expect(try device.now() == wall + 7000)
        laptop.pass(.seconds(10))
        laptop.set { $0.wall -= 3_600_000 }
        #expect(try device.now() == wall + 17_000)
        #expect(try device.clock().estimate == ClockEstimate(offset: offset, isFromThisBoot: true))
    }

    @Test("after a restart it goes by the wall clock, less what that was wrong by")
    func restarted() throws {
        let device = try Device(laptop.context)
        try device.noteClock(offset: (wall + 7000) * 1000 - 5_000_000)
        laptop.set {
            $0.wall += 60_000
            $0.sinceBoot = 1_000_000
            $0.boot = "boot-2"
        }
        #expect(try device.now() == wall + 67_000)
        #expect(
            try device.clock().estimate
                == ClockEstimate(offset: (wall + 67_000) * 1000 - 1_000_000, isFromThisBoot: false))
        #expect(try device.clock().fromWall == 7000)
    }

    @Test("presses are stamped in shared time")
    func stamped() throws {
        let device = try Device(laptop.context)
        try device.noteClock(offset: (wall - 7000) * 1000 - 5_000_000)
        #expect(try device.perform(.start(label: nil)).events.last?.time == wall - 7000)
    }

    @Test("a sample reads back, and bytes that are none don't")
    func coding() throws {
        for sample in [
            ClockSample(boot: "b", offset: .min, fromWall: .max),
            ClockSample(boot: nil, offset: 0, fromWall: -1),
        ] {
            #expect(try ClockSample(encoded: sample.encoded()) == sample)
            #expect(throws: ByteReader.Failure.self) { try ClockSample(encoded: sample.encoded().dropLast()) }
        }
    }

    @Test("offsets that make no sense end nothing")
    func overflow() throws {
        let device = try Device(laptop.context)
        for offset in [Int64.min, .max] {
            try device.noteClock(offset: offset)
            _ = try device.now()
            _ = try device.clock().estimate
        }
    }
}
