import FocusCore
import FocusDevice
import FocusLink
import Simulation
import TestSupport
import TestTraits
import Testing

/// Laptop 0 works for ten minutes, and then its lid is closed for half an hour.
@Suite("A laptop that slept during a session", .ends(within: .seconds(600)))
struct SuspensionTests {
    /// The time from the start of the session to the sleep, in seconds; and lengths of sleep, in
    /// microseconds.
    private static let work: Double = 600
    private static let half: Int64 = 1_800_000_000
    private static let hour: Int64 = 3_600_000_000

    /// - Parameter prepare: Adds the steps that come before the lid is closed.
    private func story(
        laptops: Int = 2, _ prepare: (inout Story) -> Void = { _ in }
    ) -> Story {
        var story = Story(laptops: laptops)
        story.wait(5)
        story.add(.presses(laptop: 0, .start("work")))
        story.wait(10)
        prepare(&story)
        story.wait(SuspensionTests.work - 15)
        return story
    }

    /// Switches the other laptop off.
    private func alone(_ story: inout Story) { story.add(.kill(laptop: 1, for: 3 * SuspensionTests.hour)) }

    private func pauses(in world: World) throws -> [Event] {
        try world.events(of: 0).filter { if case .pause = $0.action { true } else { false } }
    }

    private func isPaused(_ notice: SyncNotice) -> Bool {
        if case .woke(.paused) = notice { true } else { false }
    }

    /// Expects both laptops to show the time that was left when laptop 0 fell asleep, with a tolerance of a
    /// moment.
    private func expectPaused(_ world: World, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for laptop in 0..<2 {
            let shown = try #require(try world.shown(by: laptop), sourceLocation: sourceLocation)
            #expect(shown.statusLabel == "Work paused", sourceLocation: sourceLocation)
            #expect(
                (895_000...912_000).contains(shown.remaining), "\(shown.remaining)",
                sourceLocation: sourceLocation)
        }
    }

    @Test("alone, pauses it from the time when it fell asleep, and says so")
    func aloneInTheGroup() throws {
        var story = story { alone(&$0) }
        story.add(.suspend(laptop: 0, for: SuspensionTests.half))
        story.wait(1_830)
        let world = try story.run()
        try expectPaused(world)
        #expect(world.notices(of: 0).contains(where: isPaused))
        #expect(try pauses(in: world).count == 1)
    }

    @Test("and another that was closed with it pause it once", arguments: [-30, -1, 1, 30] as [Double])
    func two(apart: Double) throws {
        var story = story()
        story.add(.suspend(laptop: apart < 0 ? 1 : 0, for: SuspensionTests.half))
        story.wait(abs(apart))
        story.add(.suspend(laptop: apart < 0 ? 0 : 1, for: SuspensionTests.half))
        story.wait(1_900)
        let world = try story.run()
        let shown = try #require(try world.shown(by: 0))
        #expect(shown.statusLabel == "Work paused")
        #expect((860_000...940_000).contains(shown.remaining))
        #expect(try pauses(in: world).count <= 2)
    }

    @Test("takes a pause back that it made without its server if others were connected")
    func takenBack() throws {
        var story = story()
        story.add(.cut(laptop: 0, up: false, down: false, for: SuspensionTests.half + 300_000_000))
        story.add(.suspend(laptop: 0, for: SuspensionTests.half))
        story.wait(2_200)
        let world = try story.run()
        #expect(world.notices(of: 0).contains(.woke(.tookBack)))
        #expect(try pauses(in: world).count == 1)
        #expect(try world.shown(by: 0)?.status == "running")
        #expect(try world.shown(by: 1)?.run == world.shown(by: 0)?.run)
    }

    @Test("and another, both without their server, pause it once")
    func bothOffline() throws {
        var story = story()
        for laptop in 0..<2 {
            story.add(.cut(laptop: laptop, up: false, down: false, for: SuspensionTests.half + 300_000_000))
            story.add(.suspend(laptop: laptop, for: SuspensionTests.half))
        }
        story.wait(2_200)
        try expectPaused(story.run())
    }

    @Test("decides even if its programs are killed on waking")
    func killed() throws {
        var story = story { alone(&$0) }
        story.add(.cut(laptop: 0, up: false, down: false, for: SuspensionTests.hour))
        story.add(.suspend(laptop: 0, for: SuspensionTests.half))
        story.wait(1_807)
        story.add(.kill(laptop: 0, for: 1_000_000))
        story.wait(90)
        try expectPaused(story.run())
    }

    @Test("and woke for a moment in between counts as asleep from the first time on")
    func twice() throws {
        var story = story { alone(&$0) }
        story.add(.cut(laptop: 0, up: false, down: false, for: 3 * SuspensionTests.hour))
        for _ in 0..<3 {
            story.add(.suspend(laptop: 0, for: SuspensionTests.half))
            story.wait(1_820)
        }
        let world = try story.run()
        try expectPaused(world)
        #expect(try pauses(in: world).count == 1)
    }
}
