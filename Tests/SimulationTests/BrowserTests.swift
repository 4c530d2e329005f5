import FocusCore
import TestSupport
import TestTraits
import Testing

@testable import Simulation

@Suite("Browsers", .ends(within: .seconds(600)))
struct BrowserTests {
    /// A story of laptops and, after them, a browser.
    private static func story(seed: UInt64, laptops: Int = 1) -> Story {
        var story = Story(seed: seed, laptops: laptops + 1)
        story.plan.browsers = [laptops]
        return story
    }

    @Test(
        "a browser that is killed between any two sets of changes keeps each press that it has answered",
        arguments: 0...12)
    func killed(changes: Int) throws {
        var story = BrowserTests.story(seed: UInt64(changes))
        story.add(.presses(laptop: 1, .start("work")))
        story.wait(2)
        story.add(.cut(laptop: 1, up: false, down: false, for: 60_000_000))
        story.add(.kill(laptop: 1, changes: changes, for: 1_000_000))
        for number in 0..<40 {
            story.add(.presses(laptop: 1, .label("press \(number)")))
            story.wait(0.3)
        }
        story.wait(90)
        let world = try story.run()
        #expect(world.trace.lines.contains { $0.contains("browser1: is killed") })
        let events = try world.events(of: 1)
        #expect(try events == world.events(of: 0))
        let answered = world.ledger.entries.filter { $0.laptop == 1 }.compactMap(\.event.pressedLabel)
        #expect(answered.count > 10)
        #expect(Set(answered).subtracting(events.compactMap(\.pressedLabel)) == [])
    }

    @Test("a browser that is killed before it has stored others' presses gets them again", arguments: 1...6)
    func killedBeforeStoring(changes: Int) throws {
        var story = BrowserTests.story(seed: UInt64(changes))
        story.add(.presses(laptop: 0, .start("work")))
        story.wait(8)
        story.add(.kill(laptop: 1, changes: changes, for: 1_000_000))
        for number in 0..<40 {
            story.add(.presses(laptop: 0, .label("press \(number)")))
            story.wait(0.3)
        }
        story.wait(90)
        let world = try story.run()
        #expect(world.trace.lines.contains { $0.contains("browser1: is killed") })
        let events = try world.events(of: 1)
        #expect(try events == world.events(of: 0))
        #expect(events.compactMap(\.pressedLabel).count > 10)
    }

    @Test(
        "a browser with deleted data joins again, whether its former device is shut out or stays",
        arguments: [false, true])
    func wiped(isRevoked: Bool) throws {
        var story = BrowserTests.story(seed: isRevoked ? 1 : 2, laptops: 2)
        story.add(.presses(laptop: 2, .start("before")))
        story.wait(8)
        story.add(.wipeBrowser(laptop: 2, by: 0, isRevoked: isRevoked))
        story.wait(40)
        story.add(.presses(laptop: 2, .label("after")))
        story.wait(8)
        let world = try story.run()
        let events = try world.events(of: 2)
        #expect(try events == world.events(of: 1))
        #expect(events.compactMap(\.pressedLabel) == ["before", "after"])
        let authors = Set(events.filter { $0.pressedLabel != nil }.map(\.id.replica))
        #expect(authors.count == 2)
        let revocations = events.filter { if case .revoke = $0.action { true } else { false } }
        #expect(revocations.count == (isRevoked ? 1 : 0))
    }

    @Test(
        "a page that was frozen has what others pressed meanwhile, even if its clock stood still",
        arguments: 1...4 as ClosedRange<UInt64>)
    func frozen(seed: UInt64) throws {
        var story = BrowserTests.story(seed: seed)
        story.add(.presses(laptop: 1, .start("work")))
        story.wait(8)
        story.add(.suspend(laptop: 1, for: 600_000_000))
        story.wait(1)
        story.add(.presses(laptop: 0, .label("meanwhile")))
        story.wait(650)
        story.add(.presses(laptop: 1, .label("afterwards")))
        story.wait(8)
        let world = try story.run()
        for laptop in 0..<2 {
            let labels = try world.events(of: laptop).compactMap(\.pressedLabel)
            #expect(labels == ["work", "meanwhile", "afterwards"])
        }
    }

    @Test("a browser without room presses nothing, and goes on when there is room") func full() throws {
        var story = BrowserTests.story(seed: 1)
        story.add(.presses(laptop: 1, .start("work")))
        story.wait(8)
        story.add(.fillDisk(laptop: 1, for: 20_000_000))
        story.add(.presses(laptop: 1, .label("without room")))
        story.wait(30)
        story.add(.presses(laptop: 1, .label("with room")))
        story.wait(8)
        let world = try story.run()
        #expect(world.trace.lines.contains { $0.contains("browser1: has no room") })
        for laptop in 0..<2 {
            let labels = try world.events(of: laptop).compactMap(\.pressedLabel)
            #expect(labels == ["work", "with room"])
        }
    }

    @Test("some worlds have browsers, each in a group with a laptop, and their traces repeat")
    func worlds() throws {
        let plans = (1...100 as ClosedRange<UInt64>).map { Plan(seed: $0, minutes: 2) }
        let browsing = plans.filter { !$0.browsers.isEmpty }
        #expect((5...50).contains(browsing.count))
        for plan in browsing {
            for browser in plan.browsers {
                let mates = plan.laptops.indices.filter { plan.laptops[$0] == plan.laptops[browser] }
                #expect(mates.contains { !plan.browsers.contains($0) && !plan.outsiders.contains($0) })
            }
        }
        let plan = try #require(browsing.first)
        let traces = try (0..<2).map { _ in
            let world = try World(plan, trace: .kept)
            world.run()
            return world.trace.lines
        }
        #expect(traces[0] == traces[1])
        #expect(traces[0].contains { $0.contains(" is told that ") })
    }
}
