import FocusCore
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("Coming into a group, and parting from it", .ends(within: .seconds(600)))
struct KeyMembershipTests {
    /// The labels of the records that the laptop shows, in the history's order.
    private func history(of laptop: Int, in world: World) throws -> [String] {
        try world.shown(by: laptop)?.history.map(\.label) ?? []
    }

    @Test(
        "a solo history comes along once, and the group's session goes on",
        arguments: 1...4 as ClosedRange<UInt64>)
    func alone(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3, outsiders: [2])
        story.add(.presses(laptop: 0, .start("together")))
        story.add(.presses(laptop: 2, .start("alone")))
        story.wait(30)
        story.add(.presses(laptop: 2, .pause))
        story.wait(10)
        story.add(.presses(laptop: 2, .resume))
        story.wait(10)
        story.add(.join(laptop: 2, by: 0))
        story.wait(5)
        story.add(.join(laptop: 2, by: 0))
        let world = try story.run()
        #expect(try history(of: 1, in: world) == ["alone", "alone"])
        #expect(try world.shown(by: 2)?.label == "together")
        #expect(world.counts.carried == 2)
    }

    @Test(
        "two laptops that join at the same moment, both in the middle of work, have all of it in the history",
        arguments: 1...20 as ClosedRange<UInt64>)
    func together(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3, outsiders: [1, 2])
        // A laptop may have joined before it has replayed the other's session.
        story.replaySlowly()
        for laptop in 1...2 { story.add(.presses(laptop: laptop, .start("alone \(laptop)"))) }
        story.wait(30)
        // If the other session is the later one, it takes effect only from here on.
        story.add(.presses(laptop: 1, .pause))
        story.wait(0.5)
        story.add(.presses(laptop: 1, .resume))
        story.wait(60)
        for laptop in 1...2 { story.add(.join(laptop: laptop, by: 0)) }
        story.wait(10)
        story.add(.presses(laptop: 0, .stop))
        let world = try story.run()
        let history = try #require(try world.shown(by: 0)?.history)
        let worked = history.flatMap(\.intervals).sorted { $0.from < $1.from }
        let begun = try #require(worked.first?.from)
        var end = begun
        for interval in worked {
            #expect(interval.from - end <= .seconds(1))
            end = max(end, interval.to)
        }
        #expect(end - begun >= .seconds(90))
    }

    @Test(
        "what a laptop leaves behind isn't in the group, and comes along the next time from an old copy of its disk",
        arguments: 1...4 as ClosedRange<UInt64>)
    func leftBehind(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3, outsiders: [2])
        story.add(.presses(laptop: 0, .start("together")))
        story.add(.presses(laptop: 2, .start("alone")))
        story.wait(30)
        story.add(.backUp(laptop: 2))
        // Each attempt to join has its own choice. The first attempt is cut off before the laptop joins.
        story.add(.cut(laptop: 2, up: true, down: false, for: 5_000_000))
        story.add(.join(laptop: 2, by: 0))
        story.wait(60)
        story.add(.join(laptop: 2, by: 0, leavingBehind: true))
        story.wait(10)
        var world = try story.run()
        #expect(try history(of: 1, in: world) == [])
        #expect(try world.shown(by: 2)?.label == "together")
        #expect(world.counts.leftBehind == 1)
        #expect(world.counts.carried == 0)

        story.add(.restore(laptop: 2))
        story.wait(10)
        story.add(.join(laptop: 2, by: 0))
        story.wait(10)
        world = try story.run()
        #expect(try history(of: 1, in: world) == ["alone"])
    }

    @Test("a laptop that loses power while it joins has its history there once", arguments: 0...12)
    func power(changes: Int) throws {
        var story = Story(seed: UInt64(changes), laptops: 2, outsiders: [1])
        for label in ["one", "two", "three"] {
            story.add(.presses(laptop: 1, .start(label)))
            story.wait(20)
            story.add(.presses(laptop: 1, .stop))
        }
        story.add(.losePower(laptop: 1, changes: changes * 5, for: 1_000_000))
        story.add(.join(laptop: 1, by: 0))
        story.wait(10)
        story.add(.join(laptop: 1, by: 0))
        story.wait(10)
        let world = try story.run()
        #expect(try history(of: 0, in: world) == ["one", "two", "three"])
    }

    @Test(
        "a laptop that leaves and joins again brings what it recorded meanwhile, and has the rest",
        arguments: 1...4 as ClosedRange<UInt64>)
    func again(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        for round in 0..<2 {
            story.add(.presses(laptop: 2, .start("together \(round)")))
            story.wait(20)
            story.add(.presses(laptop: 0, .stop))
            story.wait(8)
            story.add(.leave(laptop: 2))
            story.wait(1)
            story.add(.presses(laptop: 2, .start("alone \(round)")))
            story.wait(20)
            story.add(.presses(laptop: 2, .stop))
            story.add(.join(laptop: 2, by: 1))
            story.wait(10)
        }
        let world = try story.run()
        let labels = (0..<2).flatMap { ["together \($0)", "alone \($0)"] }
        for laptop in 0..<3 { #expect(try history(of: laptop, in: world) == labels) }
    }

    @Test(
        "two laptops that shut each other out at the same moment leave the rest of the group whole",
        arguments: 1...5 as ClosedRange<UInt64>)
    func revokedTogether(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 4)
        story.presses(3, by: 0)
        story.add(.revoke(laptop: 0, by: 1))
        story.add(.revoke(laptop: 1, by: 0))
        story.presses(3, by: 0)
        story.presses(3, by: 1)
        story.presses(3, by: 2)
        let world = try story.run()
        #expect(try world.events(of: 2) == world.events(of: 3))
    }

    @Test(
        "a laptop that goes over to another group takes along what it recorded between them, and nothing else",
        arguments: 1...4 as ClosedRange<UInt64>)
    func over(seed: UInt64) throws {
        var story = Story(seed: seed, groups: [0, 0, 0, 1, 1])
        story.add(.presses(laptop: 2, .start("first")))
        story.wait(20)
        story.add(.presses(laptop: 0, .stop))
        story.wait(8)
        story.add(.leave(laptop: 2))
        story.wait(1)
        story.add(.presses(laptop: 2, .start("between")))
        story.wait(20)
        story.add(.presses(laptop: 2, .stop))
        story.add(.join(laptop: 2, by: 3))
        story.wait(10)
        story.add(.presses(laptop: 2, .start("second")))
        story.wait(8)
        story.add(.presses(laptop: 4, .stop))
        // Laptops that don't know that this laptop has left list it at a server with an empty disk.
        if seed > 2 { story.add(.wipeServer) }
        story.wait(10)
        let world = try story.run()
        for laptop in 0..<2 { #expect(try history(of: laptop, in: world) == ["first"]) }
        for laptop in 2..<5 { #expect(try history(of: laptop, in: world) == ["between", "second"]) }
    }

    @Test(
        "a laptop that the operator shuts out is kept out, and the group goes on",
        arguments: 1...4 as ClosedRange<UInt64>)
    func revokedByOperator(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        story.presses(3, by: 2)
        story.wait(8)
        story.add(.revokeAtServer(laptop: 2))
        story.wait(5)
        story.add(.presses(laptop: 2, .label("outside")))
        story.add(.presses(laptop: 0, .start("inside")))
        story.wait(8)
        let world = try story.run()
        for laptop in 0..<2 {
            let actions = try world.events(of: laptop).map { "\($0.action)" }
            #expect(!actions.contains { $0.contains("outside") })
        }
        #expect(!(try world.events(of: 2)).contains { "\($0.action)".contains("inside") })
    }
}
