import FocusCore
import Simulation
import TestTraits
import Testing

@Suite("What an operator does", .ends(within: .seconds(600)))
struct OperatingTests {
    /// The labels in the laptop's log.
    private func labels(_ world: World, on laptop: Int) throws -> [String] {
        try world.events(of: laptop).compactMap(\.pressedLabel)
    }

    @Test(
        "a group at its quota is refused, and everything is stored once the quota is lifted",
        arguments: [.events(0), .events(-5), .bytes(1)] as [Step.Allowance])
    func quota(allowance: Step.Allowance) throws {
        var story = Story(groups: [0, 0, 1, 1])
        story.presses(4, by: 0)
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(8)
        story.add(.setQuota(group: 0, allowance, for: 90_000_000))
        story.wait(8)
        story.add(.presses(laptop: 0, .label("while full")))
        story.add(.presses(laptop: 2, .start("beside")))
        story.wait(120)
        let world = try story.run()
        #expect(try labels(world, on: 1).contains("while full"))
        #expect(try labels(world, on: 3) == ["beside"])
        #expect(world.reach.times("refusal quota") + world.reach.times("refusal group_full") > 0)
        #expect(world.reach.times("operating lifted quota") == 1)
    }

    @Test("a group at its limit of laptops lets in another once the limit is raised")
    func devices() throws {
        var story = Story(laptops: 3, outsiders: [2])
        story.add(.setQuota(group: 0, .devices(2), for: 60_000_000))
        story.wait(8)
        story.add(.join(laptop: 2, by: 0))
        story.wait(70)
        story.add(.join(laptop: 2, by: 0))
        story.wait(10)
        story.add(.presses(laptop: 2, .start("third")))
        story.wait(8)
        let world = try story.run()
        #expect(try labels(world, on: 0).contains("third"))
        #expect(world.reach.times("refusal quota") == 1)
    }

    @Test(
        "a deleted group comes back with all that its laptops have, and other groups don't notice",
        arguments: [true, false], [true, false])
    func deletion(isCutShort: Bool, isBroughtAtOnce: Bool) throws {
        var story = Story(groups: [0, 0, 1, 1, 0])
        story.add(.presses(laptop: 0, .start("before")))
        story.add(.presses(laptop: 2, .start("beside")))
        story.wait(8)
        story.add(.cut(laptop: 4, up: false, down: false, for: 30_000_000))
        story.add(.presses(laptop: 4, .label("away")))
        story.add(.deleteGroup(0, isCutShort: isCutShort, isBroughtAtOnce: isBroughtAtOnce))
        story.add(.presses(laptop: 1, .label("without a server")))
        story.wait(2)
        story.add(.presses(laptop: 3, .label("still beside")))
        story.wait(40)
        let world = try story.run()
        for laptop in [0, 1, 4] {
            let found = Set(try labels(world, on: laptop))
            #expect(found.isSuperset(of: ["before", "away", "without a server"]))
        }
        #expect(try labels(world, on: 2) == ["beside", "still beside"])
        #expect(world.reach.times("operating deleted group") == 1)
        #expect(world.reach.times("refusal unknown_device") > 0)
    }

    @Test(
        "a group whose only laptop left as it brought it is taken off, and comes back with the others",
        arguments: [0.08, 0.15, 0.3])
    func broughtAndLeft(wait: Double) throws {
        var story = Story(laptops: 2)
        story.add(.presses(laptop: 1, .start("before")))
        story.wait(8)
        story.add(.wipeServer)
        story.wait(wait)
        story.add(.leave(laptop: 0))
        story.wait(5)
        story.add(.presses(laptop: 1, .label("left")))
        let world = try story.run()
        #expect(world.reach.times("operating deleted group") == 1)
        #expect(try labels(world, on: 1) == ["before", "left"])
    }

    @Test("laptops that were told of the server's next key follow it, and nobody joins again")
    func serverKey() throws {
        var story = Story(groups: [0, 0, 1])
        story.add(.announceKey)
        story.wait(60)
        story.add(.finishKey(isSure: false))
        story.wait(30)
        story.add(.presses(laptop: 0, .start("after")))
        story.wait(20)
        let world = try story.run()
        #expect(world.reach.times("operating changed key") == 1)
        #expect(world.reach.times("message enrol") == 3)
        #expect(try labels(world, on: 1) == ["after"])
    }

    @Test("a laptop that missed a change of the server's key is let in again, with its presses")
    func untold() throws {
        var story = Story(laptops: 3)
        story.add(.cut(laptop: 2, up: false, down: false, for: 200_000_000))
        story.add(.announceKey)
        story.wait(60)
        // Not all laptops have been told of the new key.
        story.add(.finishKey(isSure: false))
        story.add(.presses(laptop: 2, .start("away")))
        story.wait(5)
        story.add(.finishKey(isSure: true))
        story.wait(160)
        let world = try story.run()
        #expect(world.reach.times("operating changed key") == 1)
        #expect(world.reach.times("message enrol") == 4)
        #expect(try labels(world, on: 0).contains("away"))
    }

    @Test("a withdrawn key isn't accepted, and a key announced later is", arguments: [10, 60] as [Double])
    func cancelled(wait: Double) throws {
        var story = Story(laptops: 3)
        story.add(.announceKey)
        story.wait(wait)
        story.add(.cancelKey)
        story.wait(20)
        story.add(.announceKey)
        story.wait(60)
        story.add(.finishKey(isSure: false))
        story.wait(30)
        let world = try story.run()
        #expect(world.reach.times("operating changed key") == 1)
        #expect(world.reach.times("message enrol") == 3)
    }

    @Test("a backup of a running server is restored, and laptops bring the later events")
    func backup() throws {
        var story = Story(groups: [0, 0, 1, 1])
        story.add(.presses(laptop: 0, .start("before")))
        story.add(.presses(laptop: 2, .start("beside")))
        story.wait(8)
        story.add(.makeServerBackup)
        story.add(.presses(laptop: 1, .label("after")))
        story.add(.invite(laptop: 3))
        story.wait(8)
        story.add(.restoreServerBackup)
        story.add(.presses(laptop: 0, .label("meanwhile")))
        story.wait(30)
        let world = try story.run()
        for laptop in 0...1 {
            #expect(Set(try labels(world, on: laptop)) == ["before", "after", "meanwhile"])
        }
        #expect(try labels(world, on: 3) == ["beside"])
        #expect(world.reach.times("operating restored backup") == 1)
    }

    @Test("a server restored from before a revocation keeps the revoked laptop out")
    func revokedAfterBackup() throws {
        var story = Story(laptops: 3)
        story.add(.makeServerBackup)
        story.wait(2)
        story.add(.revoke(laptop: 2, by: 0))
        story.wait(10)
        story.add(.restoreServerBackup)
        story.wait(30)
        story.add(.presses(laptop: 0, .start("inside")))
        story.wait(8)
        let world = try story.run()
        #expect(!(try labels(world, on: 2)).contains("inside"))
        #expect(world.counts.shutOut > 0)
    }
}
