import FocusCore
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("Presses that meet", .ends(within: .seconds(600)))
struct PressTests {
    @Test(
        "states don't depend on the order in which things arrive, nor on where they are cut",
        arguments: 1...6 as ClosedRange<UInt64>)
    func arrival(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 4)
        for laptop in 0..<4 {
            story.add(
                .cut(laptop: laptop, up: false, down: false, for: 30_000_000 + Int64(laptop) * 7_000_000))
        }
        for _ in 0..<8 {
            for laptop in 0..<4 { story.add(.press(laptop: laptop)) }
            story.wait(2)
        }
        story.wait(20)
        for laptop in 0..<4 {
            story.add(.breakConnection(laptop: laptop, up: laptop % 2 == 0, bytes: 700))
            story.add(.slow(laptop: laptop, bytesPerSecond: 900, for: 20_000_000))
        }
        story.wait(60)
        let world = try story.run()
        let (events, shown) = (try world.events(of: 0), try #require(try world.shown(by: 0)))
        #expect(events.count > 16)
        for laptop in 1..<4 {
            #expect(try world.events(of: laptop) == events)
            let other = try #require(try world.shown(by: laptop))
            #expect(other.history == shown.history)
            #expect((other.status, other.run, other.label) == (shown.status, shown.run, shown.label))
        }
    }

    @Test("a laptop's own actions on returning are shown, even without a notice")
    func overtakenSetting() throws {
        var story = Story(laptops: 2)
        story.replaySlowly()
        story.add(.cut(laptop: 0, up: false, down: false, for: 600_000_000))
        story.wait(10)
        story.add(.presses(laptop: 0, .workLength(1_000)))
        story.wait(5)
        story.add(.presses(laptop: 1, .start("there")))
        story.wait(5)
        // Only the first press is overtaken and taken back. Nobody needs a notice of that.
        story.add(.presses(laptop: 0, .workLength(2_000)))
        story.wait(60)
        let world = try story.run()
        let events = try world.events(of: 0)
        let first = try #require(events.first { $0.action == .set(key: "workLength", value: 1_000) })
        let undos = events.filter { $0.action == .undo(first.id) }
        #expect(undos.count == 1)
        #expect(undos.allSatisfy { $0.id.replica == first.id.replica })
        #expect(world.notices(of: 0) == [])
        #expect(try world.hasNotifiedAll(of: undos, by: 0))
        for laptop in 0..<2 { #expect(try world.shown(by: laptop)?.settings["workLength"] == 2_000) }
    }

    @Test(
        "two laptops that undo at the same moment take one press back",
        arguments: 1...5 as ClosedRange<UInt64>)
    func undoTogether(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 2)
        story.add(.presses(laptop: 0, .start("work")))
        story.wait(8)
        story.add(.presses(laptop: 0, .label("good")))
        story.wait(8)
        story.add(.presses(laptop: 1, .label("bad")))
        story.wait(8)
        story.add(.presses(laptop: 0, .undo))
        story.add(.presses(laptop: 1, .undo))
        story.wait(8)
        let world = try story.run()
        #expect(try world.shown(by: 0)?.label == "good")
        #expect(try world.shown(by: 1)?.label == "good")
    }

    @Test(
        "two laptops that skip the same phase at the same moment skip one",
        arguments: 1...5 as ClosedRange<UInt64>)
    func skipTogether(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 2)
        story.add(.presses(laptop: 0, .start("work")))
        story.wait(8)
        for _ in 0..<3 {
            story.add(.presses(laptop: 0, .skip))
            story.add(.presses(laptop: 1, .skip))
            story.wait(8)
        }
        let world = try story.run()
        for laptop in 0..<2 { #expect(try world.shown(by: laptop)?.ordinal == 3) }
    }

    @Test("one stale press of a laptop that comes back takes nothing from four hours of others' work")
    func stale() throws {
        var story = Story(laptops: 3)
        story.add(.presses(laptop: 0, .start("morning")))
        story.wait(10)
        story.add(.cut(laptop: 2, up: false, down: false, for: 4 * 3_600_000_000))
        story.wait(1)
        story.add(.presses(laptop: 2, .stop))
        story.wait(1)
        story.add(.suspend(laptop: 2, for: 4 * 3_600_000_000))
        for hour in 0..<4 {
            story.add(.presses(laptop: hour % 2, .label("hour \(hour)")))
            story.wait(1_800)
            story.add(.presses(laptop: (hour + 1) % 2, .add(seconds: 60)))
            story.wait(1_800)
        }
        let world = try story.run()
        let shown = try #require(try world.shown(by: 0))
        #expect(shown.status != "stopped")
        #expect(shown.label == "hour 3")
        #expect(try world.shown(by: 2)?.run == shown.run)
    }
}
