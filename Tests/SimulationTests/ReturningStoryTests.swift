import FocusCore
import FocusFront
import FocusLink
import Simulation
import TestSupport
import TestTraits
import Testing

/// Tests of docs/timer-rules.md §5 with the programs' own code.
@Suite("Laptops that come back", .ends(within: .seconds(600)))
struct ReturningStoryTests {
    private static let hour: Int64 = 3_600_000_000

    @Test("a stop made offline holds, though somebody named and stopped the session on the desk hours later")
    func staleDesk() throws {
        var story = Story(laptops: 2)
        story.add(.presses(laptop: 1, .start("desk")))
        story.wait(10)
        story.add(.cut(laptop: 0, up: false, down: false, for: ReturningStoryTests.hour))
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
            let focus = shown.history.reduce(Duration.zero) { $0 + ($1.endedAt - $1.startedAt) }
            #expect((600_000...630_000 as ClosedRange<Duration>).contains(focus))
        }
        #expect(try world.events(of: 0).allSatisfy { Undo($0) == nil })
    }

    /// The time for which each laptop is cut off, in seconds.
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
            #expect((1_540_000...1_552_000).contains(shown.remaining))
        }
        #expect(try world.events(of: 0).allSatisfy { Undo($0) == nil })
    }

    @Test("work in a café stays, though the desk continued the session from its pause")
    func café() throws {
        var story = Story(laptops: 2)
        story.add(.presses(laptop: 1, .start("thesis")))
        story.wait(600)
        story.add(.presses(laptop: 1, .pause))
        story.wait(10)
        story.add(.cut(laptop: 0, up: false, down: false, for: 2 * ReturningStoryTests.hour))
        story.wait(10)
        story.add(.presses(laptop: 0, .resume))
        story.wait(5_100)
        story.add(.presses(laptop: 0, .stop))
        story.wait(900)
        story.add(.presses(laptop: 1, .resume))
        story.wait(60)
        story.add(.presses(laptop: 1, .skip))
        story.wait(2_000)
        let world = try story.run()
        let shown = try #require(try world.shown(by: 1))
        #expect(try world.shown(by: 0)?.history == shown.history)
        #expect(shown.status == "running")
        let kept = try world.events(of: 0).compactMap { event -> Action.Record? in
            if case .record(let record) = event.action { record } else { nil }
        }
        // 15 minutes, a break, 25, a break, 25, a break and the remaining 5.
        #expect(kept.map(\.outcome) == ["completed", "completed", "completed", "stopped"])
        let minutes = kept.reduce(Duration.zero) { $0 + ($1.endedAt - $1.startedAt) }.inSeconds / 60
        #expect(minutes == 15 + 25 + 25 + 5)
        #expect(kept.allSatisfy { $0.label == "thesis" })
        #expect(
            world.notices(of: 0).contains { notice in
                guard case .returned(let deeds) = notice else { return false }
                return deeds.contains {
                    if case .tookBack(let presses, _) = $0 { presses.count == 2 } else { false }
                }
                    && deeds.contains { if case .kept = $0 { true } else { false } }
            })
    }

    @Test(
        "offline work is kept once, though the connection breaks while the others' log arrives",
        arguments: 1...8)
    func caféOnABadLine(seed: Int) throws {
        var story = Story(seed: UInt64(seed), laptops: 2)
        story.add(.presses(laptop: 1, .start("thesis")))
        story.wait(60)
        story.add(.presses(laptop: 1, .pause))
        story.wait(10)
        story.add(.cut(laptop: 0, up: false, down: false, for: ReturningStoryTests.hour))
        story.wait(10)
        story.add(.presses(laptop: 0, .resume))
        story.wait(600)
        story.add(.presses(laptop: 0, .stop))
        story.wait(60)
        story.add(.presses(laptop: 1, .resume))
        story.add(.presses(laptop: 1, .skip))
        story.presses(60, by: 1, every: 1)
        story.wait(2_900)
        for _ in 0..<40 {
            story.add(.cut(laptop: 0, up: true, down: false, for: 150_000))
            story.wait(0.4)
            story.add(.kill(laptop: 0, for: 300_000))
            story.wait(0.7)
        }
        let world = try story.run()
        let kept = try world.events(of: 0).compactMap { event -> Action.Record? in
            // A record that a person added is a new entry and no kept work.
            if case .record(let record) = event.action, record.keepsWork {
                record
            } else {
                nil
            }
        }
        #expect(kept.reduce(Duration.zero) { $0 + ($1.endedAt - $1.startedAt) }.inSeconds <= 600)
        #expect(try world.shown(by: 0)?.history == world.shown(by: 1)?.history)
    }

    @Test("of two sessions begun at once the label stays, and one laptop is told that it joined the other's")
    func atOnce() throws {
        var story = Story(laptops: 2)
        story.wait(5)
        story.add(.presses(laptop: 0, .start(nil)))
        story.wait(0.001)
        story.add(.presses(laptop: 1, .start("pair")))
        story.wait(10)
        let world = try story.run()
        for laptop in 0..<2 {
            let shown = try #require(try world.shown(by: laptop))
            #expect(shown.status == "running" && shown.label == "pair" && shown.history.isEmpty)
        }
        let joined = (0..<2).filter { laptop in
            world.notices(of: laptop).contains { notice in
                guard case .returned(let deeds) = notice else { return false }
                return deeds.contains { if case .joined = $0 { true } else { false } }
            }
        }
        #expect(joined.count == 1)
    }

    @Test("a laptop that joins in the middle of its session goes on with it if the group has none")
    func joining() throws {
        var story = Story(laptops: 2, outsiders: [1])
        story.add(.presses(laptop: 1, .start("first day")))
        story.wait(300)
        story.add(.presses(laptop: 1, .pause))
        story.wait(60)
        story.add(.presses(laptop: 1, .resume))
        story.wait(300)
        story.add(.join(laptop: 1, by: 0))
        story.wait(60)
        let world = try story.run()
        for laptop in 0..<2 {
            let shown = try #require(try world.shown(by: laptop))
            #expect(shown.status == "running" && shown.label == "first day")
            #expect(shown.history.isEmpty)
            #expect(shown.remaining > 700_000 && shown.remaining <= 900_000)
        }
    }

    @Test("of laptops that join at once, each in the middle of its work, none loses any", arguments: 1...6)
    func joiningAtOnce(seed: Int) throws {
        var story = Story(seed: UInt64(seed), laptops: 3, outsiders: [1, 2])
        story.add(.presses(laptop: 1, .start("early")))
        story.wait(300)
        story.add(.presses(laptop: 2, .start("late")))
        story.wait(300)
        for laptop in 1...2 { story.add(.join(laptop: laptop, by: 0)) }
        story.wait(60)
        story.add(.presses(laptop: 0, .stop))
        story.wait(10)
        let world = try story.run()
        let history = try #require(try world.shown(by: 0)).history
        for (label, least) in [("early", 590), ("late", 290)] as [(String, Int64)] {
            let worked = history.filter { $0.label == label }.reduce(Duration.zero) { $0 + $1.active }
            #expect(worked.inSeconds >= least, "\(label)")
        }
    }

    @Test(
        "phases that a stop of hours ago takes out of the history come back by an undo that nobody is asked about"
    )
    func staleStop() throws {
        var story = Story(laptops: 2)
        story.add(.presses(laptop: 0, .start("together")))
        story.wait(10)
        story.add(.cut(laptop: 1, up: false, down: false, for: 3 * ReturningStoryTests.hour))
        story.wait(600)
        story.add(.presses(laptop: 1, .stop))
        story.wait(11_000)
        var world = try story.run()
        #expect(try world.shown(by: 0)?.status == "stopped")
        #expect(try world.shown(by: 0)?.history.map(\.outcome) == ["stopped"])
        story.add(.presses(laptop: 0, .undo))
        world = try story.run()
        let shown = try #require(try world.shown(by: 1))
        #expect(shown.status != "stopped")
        #expect(shown.history.count { $0.outcome == "completed" && $0.activity == "work" } > 3)
    }
}
