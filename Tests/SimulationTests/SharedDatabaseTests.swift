import FocusCore
import Simulation
import TestTraits
import Testing

@Suite("Servers that share a database, in simulated worlds", .ends(within: .seconds(600)))
struct SharedDatabaseTests {
    /// A story of laptops in one group, with two servers.
    private func story(laptops: Int = 4) -> Story {
        var story = Story(laptops: laptops)
        (story.plan.servers, story.plan.serverClockError) = (2, 20_000)
        return story
    }

    /// Adds a step that concerns the server with this number.
    private func add(_ kind: Step.Kind, to server: UInt64, _ story: inout Story) {
        story.plan.steps.append(Step(story.time, kind, seed: server))
    }

    /// The labels in the laptop's log.
    private func labels(_ world: World, on laptop: Int) throws -> Set<String> {
        Set(try world.events(of: laptop).compactMap(\.pressedLabel))
    }

    @Test(
        "whatever goes wrong between servers, no press is lost and everybody agrees in the end",
        arguments: 1...6 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        let world = try World(Plan(seed: seed, minutes: 1, isShared: true))
        world.run()
        #expect(
            world.violation == nil,
            "again: swift run -c release simulate --seed \(seed) --minutes 1 --sharing --trace")
    }

    @Test("presses through one server reach laptops at the other, even without notices")
    func notices() throws {
        var story = story()
        story.add(.loseNotices(for: 60_000_000))
        story.add(.presses(laptop: 0, .start("by 0")))
        story.wait(8)
        for laptop in 1..<4 {
            story.add(.presses(laptop: laptop, .label("by \(laptop)")))
            story.wait(8)
        }
        let world = try story.run()
        #expect(try labels(world, on: 0) == ["by 0", "by 1", "by 2", "by 3"])
        #expect(world.reach.times("sharing stored by another server") > 0)
        #expect(world.reach.times("sharing news without a notice") > 0)
    }

    @Test("a server that stood still resumes with an older memory, and does no harm")
    func standstill() throws {
        var story = story()
        add(.freezeServer(for: 40_000_000), to: 0, &story)
        story.presses(16, by: 0, every: 3)
        story.presses(4, by: 1, every: 1)
        story.add(.presses(laptop: 2, .label("afterwards")))
        story.wait(30)
        let world = try story.run()
        #expect(world.reach.times("sharing went on after it stood still") == 1)
        #expect(world.reach.times("sharing taken for gone") == 1)
    }

    @Test("commits with a lost answer are found, or repeated")
    func answers() throws {
        var story = story()
        story.add(.loseAnswers(for: 120_000_000))
        for _ in 0..<10 {
            for laptop in 0..<4 { story.presses(1, by: laptop) }
        }
        story.wait(60)
        let world = try story.run()
        #expect(world.reach.times("sharing an answer lost") > 0)
        #expect(world.reach.times("sharing a number passed over") > 0)
    }

    @Test("laptops of a server that is gone go on with another server")
    func killed() throws {
        var story = story()
        add(.killServer(for: 60_000_000), to: 0, &story)
        story.presses(10, by: 0, every: 2)
        story.presses(10, by: 1, every: 2)
        add(.stopServer(for: 5_000_000), to: 1, &story)
        story.presses(10, by: 2, every: 2)
        let world = try story.run()
        #expect(world.reach.times("sharing a laptop went to another server") > 0)
    }

    @Test("a device revoked while the database is away loses its connections once the database is back")
    func revoked() throws {
        var story = story()
        add(.cutDatabase(fromAll: false, for: 20_000_000), to: 1, &story)
        story.wait(2)
        story.add(.revokeAtServer(laptop: 3))
        story.presses(10, by: 0, every: 3)
        let world = try story.run()
        #expect(world.reach.times("sharing out of reach") > 0)
    }
}
