import FocusCore
import TestSupport
import TestTraits
import Testing

@testable import Simulation

@Suite("Clocks that are wrong", .ends(within: .seconds(600)))
struct ClockTests {
    private let year: Int64 = 365 * 86_400_000_000

    @Test("one laptop's press ten years ahead moves nobody's clock", arguments: 1...3 as ClosedRange<UInt64>)
    func farFuture(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        story.add(.presses(laptop: 0, .start("now")))
        story.wait(2)
        story.add(.cut(laptop: 1, up: false, down: false, for: 30_000_000))
        story.add(.stepClock(laptop: 1, by: 10 * year))
        story.add(.reboot(laptop: 1))
        story.wait(1)
        story.add(.presses(laptop: 1, .label("later")))
        story.wait(40)
        story.presses(3, by: 2)
        let world = try story.run()
        let latest = try world.events(of: 2).map(\.time).max() ?? 0
        #expect(latest < 1_767_225_600_000 + 3_600_000)
    }

    @Test(
        "a server's clock that goes a year ahead and back costs no press",
        arguments: 1...5 as ClosedRange<UInt64>)
    func yearAndBack(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        var labels: Set<String> = []
        func sessions(_ name: String, by laptop: Int, every seconds: Double = 2) {
            for number in 0..<5 {
                labels.insert("\(name) \(number)")
                story.add(.presses(laptop: laptop, .start("\(name) \(number)")))
                story.wait(seconds / 2)
                story.add(.presses(laptop: laptop, .stop))
                story.wait(seconds / 2)
            }
        }
        sessions("before", by: 0)
        story.add(.stepServerClock(by: year, for: 60_000_000))
        sessions("ahead", by: 1)
        story.add(.killServer(for: 1_000_000))
        sessions("meanwhile", by: 0, every: 10)
        story.wait(60)
        sessions("after", by: 2)
        let world = try story.run()
        for laptop in 0..<3 {
            #expect(try Set(world.events(of: laptop).compactMap(\.pressedLabel)) == labels)
        }
    }

    @Test("a laptop whose disk was full when it learnt shared time knows it once there is room")
    func noRoomForTheTime() throws {
        var story = Story(laptops: 2)
        story.add(.stepClock(laptop: 0, by: -86_400_000_000))
        story.add(.fillDisk(laptop: 0, for: 60_000_000))
        // Notes about a machine's clock must have no effect on another machine.
        story.add(.clone(laptop: 1, to: 0))
        // The calm frees the disk between two pings.
        story.wait(43)
        let world = try story.run()
        let now = try #require(try world.shown(by: 0)?.now)
        #expect(abs((now - world.sharedNow) / .milliseconds(1)) < 1_000)
    }

    @Test("a solo history recorded under a wrong clock counts, even if the server gave no time")
    func joinedWithoutTime() throws {
        var story = Story(laptops: 2, outsiders: [1])
        story.add(.presses(laptop: 0, .start("here")))
        story.add(.stepClock(laptop: 1, by: 3 * 3_600_000_000))
        story.wait(20)
        story.add(.stepServerClock(by: -year, for: 200_000_000))
        story.add(.presses(laptop: 1, .start("alone")))
        story.wait(60)
        story.add(.join(laptop: 1, by: 0))
        story.wait(20)
        let world = try story.run()
        #expect(world.counts.carried == 1)
        let history = try world.shown(by: 0)?.history ?? []
        #expect(history.map(\.label) == ["alone"])
        #expect(history.allSatisfy { $0.endedAt < 1_767_225_600_000 + 3_600_000 })
    }

    @Test("events that another clock put a year ahead are kept, and not re-authored again and again")
    func lostYear() throws {
        var story = Story(laptops: 2)
        story.add(.stepServerClock(by: year, for: 200_000_000))
        story.add(.killServer(for: 1_000_000))
        story.wait(2)
        story.add(.reboot(laptop: 0))
        story.add(.reboot(laptop: 1))
        story.wait(10)
        story.add(.presses(laptop: 0, .start("ahead")))
        story.wait(5)
        story.add(.presses(laptop: 1, .pause))
        story.wait(200)
        story.add(.presses(laptop: 1, .resume))
        story.add(.wipeServer)
        story.wait(60)
        let world = try story.run()
        #expect(try world.events(of: 0).count >= 4)
    }

    /// A story in which the last laptop joins and presses while the server's clock is a day ahead. The first
    /// laptop also presses during that time. Later the clock is right again, and the operator accepts it.
    private func joinedAhead(by wallError: Int64 = 0) -> Story {
        var story = Story(laptops: 3, outsiders: [2])
        story.add(.stepClock(laptop: 2, by: wallError))
        session("before", by: 0, in: &story)
        story.add(.stepServerClock(by: 86_400_000_000, for: 240_000_000))
        story.add(.killServer(for: 1_000_000))
        story.wait(30)
        story.add(.join(laptop: 2, by: 0))
        story.wait(20)
        session("ahead", by: 2, in: &story)
        session("meanwhile", by: 0, in: &story)
        story.add(.presses(laptop: 2, .start("open")))
        story.wait(150)
        story.add(.acceptServerClock)
        story.wait(30)
        return story
    }

    /// Adds a session of 30 seconds and, after a pause of 10 seconds, 10 more.
    private func session(_ name: String, by laptop: Int, in story: inout Story) {
        story.add(.presses(laptop: laptop, .start(name)))
        story.wait(30)
        story.add(.presses(laptop: laptop, .pause))
        story.wait(10)
        story.add(.presses(laptop: laptop, .resume))
        story.wait(10)
        story.add(.presses(laptop: laptop, .stop))
        story.wait(2)
    }

    /// Expects exactly one session of each name in every laptop's history, with its full length.
    private func expect(_ names: [String], in world: World) throws {
        let now = world.sharedNow
        for laptop in 0..<3 {
            let shown = try #require(try world.shown(by: laptop))
            #expect(shown.remaining < .seconds(3600))
            let history = shown.history.filter { names.contains($0.label) }
            #expect(history.map(\.label).sorted() == names.sorted(), "laptop \(laptop)")
            #expect(shown.history.allSatisfy { $0.activity == "work" && $0.endedAt <= now })
            for record in history {
                let length = record.endedAt - record.startedAt
                #expect((record.active - .seconds(40)).magnitude < .seconds(1), "\(record)")
                #expect((length - .seconds(50)).magnitude < .seconds(1), "\(record)")
            }
        }
    }

    @Test(
        "presses of a laptop that joined while the server's clock was a day ahead are brought back"
    )
    func joinedWhileAhead() throws {
        var story = joinedAhead()
        story.add(.presses(laptop: 2, .stop))
        story.wait(2)
        session("after", by: 2, in: &story)
        let world = try story.run()
        try expect(["before", "ahead", "meanwhile", "after"], in: world)
    }

    @Test(
        "a laptop that joined while the server's clock was a day ahead is known by name, though its own clock is wrong"
    )
    func joinedWhileAheadAndIsNamed() throws {
        var story = joinedAhead(by: -3 * 3_600_000_000)
        story.add(.reboot(laptop: 2))
        story.wait(20)
        _ = try story.run()
    }

    @Test("if the laptop's own clock is wrong too, it names the command that brings the presses back")
    func joinedWhileAheadWithWrongClock() throws {
        var story = joinedAhead(by: -3 * 3_600_000_000)
        story.add(.reboot(laptop: 2))
        story.wait(20)
        story.add(.acceptClock(laptop: 2))
        story.wait(5)
        story.add(.presses(laptop: 2, .stop))
        story.wait(2)
        session("after", by: 2, in: &story)
        let world = try story.run()
        try expect(["before", "ahead", "meanwhile", "after"], in: world)
    }
}
