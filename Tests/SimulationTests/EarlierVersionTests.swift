import FocusCore
import Simulation
import TestTraits
import Testing

@Suite("What an earlier version left", .ends(within: .seconds(300)))
struct EarlierVersionTests {
    /// A group of three that has pressed, changed its key, and goes on.
    private func story() -> Story {
        var story = Story(laptops: 4)
        story.add(.presses(laptop: 0, .start("before")))
        for length in 1...5 { story.add(.presses(laptop: 1, .workLength(Int64(600 * length)))) }
        story.add(.revoke(laptop: 3, by: 0))
        story.wait(10)
        return story
    }

    private func expectAll(in world: World) throws {
        for laptop in 0...2 {
            let labels = try world.events(of: laptop).compactMap(\.pressedLabel)
            #expect(labels.contains("before"))
            #expect(labels.contains("after"))
        }
    }

    @Test(
        "is a laptop's log of any version, which goes on in its group, whenever the power goes meanwhile",
        arguments: 1...3 as ClosedRange<Int64>, [nil, 0, 3, 8, 15, 25, 40] as [Int?])
    func laptop(version: Int64, changes: Int?) throws {
        var story = story()
        story.add(.cut(laptop: 2, up: false, down: false, for: 20_000_000))
        story.add(.presses(laptop: 2, .workLength(1_200)))
        story.wait(1)
        story.add(.upgrade(laptop: 2, from: version, changes: changes))
        story.wait(2)
        story.add(.presses(laptop: 2, .label("after")))
        story.wait(30)
        let world = try story.run()
        try expectAll(in: world)
        #expect(world.reach.times("upgrade laptop from \(version)") == 1)
    }

    @Test(
        "is a server's store, of which nothing that was acknowledged is lost, whenever the power goes meanwhile",
        arguments: 4...5 as ClosedRange<Int64>, [nil, 0, 3, 8, 15, 25, 40] as [Int?])
    func server(version: Int64, changes: Int?) throws {
        var story = story()
        story.add(.upgradeServer(from: version, changes: changes))
        story.wait(2)
        story.add(.presses(laptop: 1, .label("after")))
        story.wait(20)
        let world = try story.run()
        try expectAll(in: world)
        #expect(world.reach.times("upgrade server from \(version)") == 1)
        #expect(try world.epochs(of: 3).last != world.epochs(of: 0).last)
    }

    @Test("is a server that a laptop of a later version still speaks with, and waits for where it can't")
    func protocolVersions() throws {
        var story = story()
        story.add(.speak(laptop: 1, versions: [1, 2], for: 60_000_000))
        story.add(.speak(laptop: 2, versions: [2], for: 60_000_000))
        story.wait(5)
        story.add(.presses(laptop: 1, .label("spoken")))
        story.add(.presses(laptop: 2, .workLength(1_500)))
        story.wait(20)
        story.add(.presses(laptop: 0, .label("after")))
        story.wait(60)
        let world = try story.run()
        try expectAll(in: world)
        #expect(try world.events(of: 0).compactMap(\.pressedLabel).contains("spoken"))
        #expect(try world.events(of: 0).contains { "\($0.action)".contains("1500") })
        #expect(world.reach.times("refusal version") > 0)
    }
}
