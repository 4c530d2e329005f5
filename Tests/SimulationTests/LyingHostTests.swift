import FocusCore
import TestSupport
import TestTraits
import Testing

@testable import Simulation

@Suite("A host that lies", .ends(within: .seconds(600)))
struct LyingHostTests {
    /// A story of laptops in one group, on a server that lies.
    private func story(laptops: Int) -> Story {
        var story = Story(laptops: laptops)
        story.plan.isLying = true
        return story
    }

    /// Laptops press, and revoke one of them, while the host lies to some of them. Then the host is honest,
    /// and every rule has to hold.
    @Test(
        "whatever it says, nothing is lost, and once it is honest all agree",
        arguments: HostDeception.allCases)
    func lies(_ deceit: HostDeception) throws {
        var story = story(laptops: 4)
        story.presses(3, by: 0)
        story.add(.kill(laptop: 2, for: 5_000_000))
        story.add(.lie(deceit, for: 60_000_000))
        story.add(.revoke(laptop: 3, by: 1))
        story.add(.invite(laptop: 0))
        for _ in 0..<4 {
            story.presses(3, by: 0, every: 1)
            story.presses(2, by: 1, every: 1)
            // A server says some things only at the beginning of a connection, so the connection is broken to
            // begin again.
            story.add(.breakConnection(laptop: 1, up: true, bytes: 10))
            story.add(.lie(deceit, to: 0, for: 10_000_000))
            story.presses(1, by: 2, every: 4)
        }
        let world = try story.run()
        #expect(world.counts.lies > 0)
        // The laptops go on pressing as before.
        #expect(world.counts.presses > 20)
    }

    @Test("events that nobody can read, under others' names, keep no laptop from what those press")
    func usurpedNames() throws {
        var story = story(laptops: 2)
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(5)
        story.add(.lie(.withholdsEvents, to: 1, for: 40_000_000))
        for _ in 0..<3 {
            story.add(.lie(.usurpsNames, to: 1, for: 40_000_000))
            story.wait(1)
        }
        story.add(.presses(laptop: 0, .label("after")))
        story.wait(5)
        let world = try story.run()
        let read = try world.events(of: 1).map { "\($0.action)" }
        #expect(read.contains { $0.contains("after") })
        #expect(world.trace.lines.contains { $0.contains("Put aside") })
    }

    @Test(
        "what a member has it send far ahead keeps nobody from pressing or shutting out, and counts for nothing",
        arguments: [.seconds(3_600), .seconds(86_400), nil] as [Duration?], [nil, 0, 2] as [Int?])
    func farAhead(lead: Duration?, usurped: Int?) throws {
        var story = story(laptops: 4)
        story.plan.traitorGroup = 0
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(5)
        story.add(.betray(.sendsAhead(by: lead, as: usurped)))
        story.wait(5)
        story.add(.presses(laptop: 2, .label("after")))
        story.add(.presses(laptop: 0, .add(seconds: 60)))
        story.add(.revoke(laptop: 3, by: 1))
        story.wait(20)
        story.add(.findOut(laptop: 0))
        story.wait(20)
        story.add(.presses(laptop: 1, .label("still")))
        story.wait(5)
        let world = try story.run()
        #expect(world.counts.lies > 0)
        #expect(world.counts.refusedPresses == 0)
        for laptop in 0..<3 {
            let events = try world.events(of: laptop)
            #expect(events.contains { $0.pressedLabel == "ahead" })
            let soon = world.sharedNow + .seconds(120)
            for event in events where ["after", "still"].contains(event.pressedLabel) {
                #expect(event.time < soon)
            }
            let shown = try #require(try world.shown(by: laptop))
            #expect(shown.label == "still")
            #expect(shown.rulings.count == 2)
        }
    }

    @Test("false addresses that it announces again and again keep no laptop away once it is honest")
    func falseAddresses() throws {
        var story = story(laptops: 2)
        story.add(.lie(.misstatesAddresses, for: 100_000_000))
        for _ in 0..<4 {
            story.add(.breakConnection(laptop: 1, up: true, bytes: 10))
            story.add(.presses(laptop: 1, .start("again")))
            story.wait(10)
        }
        let world = try story.run()
        #expect(world.counts.lies >= 2)
        #expect(try world.events(of: 0).count == world.events(of: 1).count)
    }

    @Test("what it claims to store, and throws away, comes to the others once it is honest") func claims()
        throws
    {
        var story = story(laptops: 2)
        story.add(.lie(.claimsToStore, to: 0, for: 60_000_000))
        story.add(.presses(laptop: 0, .start("claimed")))
        story.wait(10)
        let world = try story.run()
        #expect(world.counts.lies > 0)
        #expect(try world.events(of: 1).contains { "\($0.action)".contains("claimed") })
    }

    @Test(
        "a laptop that it let in wrongly, or without an answer, joins once the host is honest",
        arguments: 1...8 as ClosedRange<UInt64>)
    func wrongEnrolments(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3, outsiders: [2])
        story.plan.isLying = true
        story.add(.presses(laptop: 0, .start("of the group")))
        story.presses(3, by: 2)
        story.add(.lie(.misstatesEnrolments, for: 100_000_000))
        for _ in 0..<3 {
            story.add(.join(laptop: 2, by: 0))
            story.wait(40)
        }
        story.add(.join(laptop: 2, by: 0))
        story.wait(40)
        let world = try story.run()
        #expect(world.counts.lies > 0)
        #expect(try world.events(of: 2).contains { "\($0.action)".contains("of the group") })
        #expect(world.trace.lines.contains { $0.contains("operation failed") })
    }
}
