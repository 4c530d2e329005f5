import FocusClient
import FocusCore
import Simulation
import TestSupport
import Testing

/// docs/timer-rules.md §5, told with the programs' own code.
@Suite("Laptops that come back")
struct ReturningTests {
    private static let hour: Int64 = 3_600_000_000

    @Test("a stop made offline holds, though somebody named and stopped the session on the desk hours later")
    func staleDesk() throws {
        var story = Story(laptops: 2)
        story.add(.presses(laptop: 1, .start("desk")))
        story.wait(10)
        story.add(.cut(laptop: 0, up: false, down: false, for: ReturningTests.hour))
        story.wait(600)
        story.add(.presses(laptop: 0, .stop))
        story.wait(1_200)
        story.add(.presses(laptop: 1, .label("was this on?")))
        story.add(.presses(laptop: 1, .stop))
        story.wait(3_600)
        let world = try story.run()
        for laptop in 0..<2 {
            let shown = try #require(try world.shown(by: laptop))
            #expect(shown.status == "stopped")
            #expect(shown.history.map(\.outcome) == ["stopped"])
            let focus = shown.history.reduce(0) { $0 + $1.endedAt - $1.startedAt }
            #expect((600_000...630_000).contains(focus))
        }
        #expect(try world.events(of: 0).allSatisfy { Undo($0) == nil })
    }

    /// How long each laptop is cut off, in seconds.
    private static let returns: [[Int64]] = [
        [300, 330, 360], [300, 360, 330], [330, 300, 360], [330, 360, 300], [360, 300, 330], [360, 330, 300],
    ]

    @Test(
        "a pause, a name and two minutes more that were pressed in one outage all count, whoever comes back first",
        arguments: returns)
    func outage(seconds: [Int64]) throws {
        var story = Story(laptops: 3)
        story.add(.presses(laptop: 0, .start(nil)))
        story.wait(60)
        for (laptop, length) in seconds.enumerated() {
            story.add(.cut(laptop: laptop, up: false, down: false, for: length * 1_000_000))
        }
        story.wait(10)
        story.add(.presses(laptop: 0, .pause))
        story.wait(1)
        story.add(.presses(laptop: 1, .label("together")))
        story.wait(1)
        story.add(.presses(laptop: 2, .add(seconds: 120)))
        story.wait(600)
        let world = try story.run()
        for laptop in 0..<3 {
            let shown = try #require(try world.shown(by: laptop))
            #expect(shown.status == "paused" && shown.label == "together")
            #expect((1_540_000...1_552_000).contains(shown.remainingMs))
        }
        #expect(try world.events(of: 0).allSatisfy { Undo($0) == nil })
    }

    @Test("an undo made offline takes nothing from those who pressed on for hours")
    func undo() throws {
        var story = Story(laptops: 2)
        story.add(.presses(laptop: 0, .start("morning")))
        story.wait(10)
        story.add(.cut(laptop: 0, up: false, down: false, for: 2 * ReturningTests.hour))
        story.wait(1)
        story.add(.presses(laptop: 0, .undo))
        story.wait(1_800)
        story.add(.presses(laptop: 1, .pause))
        story.wait(600)
        story.add(.presses(laptop: 1, .resume))
        story.wait(5_400)
        let world = try story.run()
        let shown = try #require(try world.shown(by: 1))
        #expect(shown.status != "stopped" && shown.label == "morning")
        #expect(shown.history.contains { $0.outcome == "completed" })
        #expect(try world.shown(by: 0)?.history == shown.history)
        #expect(world.notices(of: 0).contains(.returned([.putBack])))
    }
}
