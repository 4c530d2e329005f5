import FocusCore
import Simulation
import TestTraits
import Testing

@Suite("Programs of other versions", .ends(within: .seconds(600)))
struct OtherVersionTests {
    /// A story of a group of three that has pressed and has changed its key.
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

    @Test("a laptop of a later version syncs if the server speaks a common version, and otherwise waits")
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
