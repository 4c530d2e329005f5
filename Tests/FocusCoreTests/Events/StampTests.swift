import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §1.
@Suite("Stamps and the Lamport clock")
struct StampTests {
    @Test("a stamp is its milliseconds, then its counter")
    func parts() throws {
        let stamp = try #require(Stamp(time: 1_763_661_600_000, counter: 7))
        #expect(stamp.rawValue == 1_763_661_600_000 << 16 | 7)
        #expect(stamp.time == 1_763_661_600_000)
        #expect(stamp.counter == 7)
        #expect(try #require(Stamp(time: 1, counter: 0)) > Stamp(rawValue: 0xFFFF))
    }

    @Test("a stamp of 2^63 or more isn't well formed")
    func wellFormed() {
        #expect(Stamp(rawValue: 1 << 63 - 1).isWellFormed)
        #expect(!Stamp(rawValue: 1 << 63).isWellFormed)
        #expect(!Stamp(rawValue: .max).isWellFormed)
        #expect(Stamp(time: Stamp.timeLimit - 1, counter: .max)?.isWellFormed == true)
        #expect(Stamp(time: Stamp.timeLimit, counter: 0) == nil)
        #expect(Stamp(time: -1, counter: 0) == nil)
    }

    @Test("an event is stamped beside real time, and always above the last")
    func tick() {
        var clock = LamportClock()
        #expect(clock.tick(now: 1000) == Stamp(time: 1000, counter: 0))
        #expect(clock.tick(now: 1000) == Stamp(time: 1000, counter: 1))
        #expect(clock.tick(now: 500) == Stamp(time: 1000, counter: 2))
        #expect(clock.tick(now: 1001) == Stamp(time: 1001, counter: 0))
    }

    @Test("what was merged has the smaller stamp")
    func observe() {
        var clock = LamportClock()
        clock.observe(Stamp(rawValue: 5000 << 16 | 0xFFFF))
        clock.observe(Stamp(rawValue: 7))
        #expect(clock.last == Stamp(rawValue: 5000 << 16 | 0xFFFF))
        #expect(clock.tick(now: 1000) == Stamp(time: 5001, counter: 0))
    }

    @Test(
        "an instant that no stamp has is brought into the range of those",
        arguments: [.distantPast, -1, 0] as [SharedInstant])
    func beforeEpoch(now: SharedInstant) {
        var clock = LamportClock()
        #expect(clock.tick(now: now) == Stamp(rawValue: 1))
    }

    @Test("no stamp is given beyond the last well-formed one")
    func exhausted() {
        var clock = LamportClock(last: Stamp(rawValue: 1 << 63 - 2))
        #expect(clock.tick(now: .distantFuture) == Stamp(rawValue: 1 << 63 - 1))
        #expect(clock.tick(now: .distantFuture) == nil)
        #expect(clock.last == Stamp(rawValue: 1 << 63 - 1))
        var merged = LamportClock(last: Stamp(rawValue: .max))
        #expect(merged.tick(now: 0) == nil)
    }

    @Test("replay order is the stamp's, then the replica's")
    func positions() {
        func position(_ stamp: UInt64, _ replica: UInt64) -> Position {
            Position(stamp: Stamp(rawValue: stamp), replica: ReplicaID(rawValue: replica))
        }
        let ordered = [position(1, 9), position(2, 1), position(2, .max), position(.max, 0)]
        #expect(ordered.reversed().sorted() == ordered)
    }
}
