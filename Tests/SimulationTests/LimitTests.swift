import FocusCore
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("A server with tight limits", .ends(within: .seconds(600)))
struct LimitTests {
    @Test(
        "a laptop that writes more than the server accepts at once loses nothing",
        arguments: 1...3 as ClosedRange<UInt64>)
    func bursts(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        story.limitTightly()
        story.add(.presses(laptop: 0, .start(nil)))
        story.add(.cut(laptop: 0, up: false, down: false, for: 30_000_000))
        for number in 0..<1_500 {
            story.add(.presses(laptop: 0, .label("away \(number)")))
            story.wait(0.01)
        }
        story.wait(40)
        for number in 0..<5 {
            story.add(.presses(laptop: 1, .label("beside \(number)")))
            story.wait(1)
        }
        let world = try story.run()
        let events = try world.events(of: 2)
        #expect(events.count { "\($0.action)".contains("away ") } == 1_500)
        #expect(events.count { "\($0.action)".contains("beside ") } == 5)
    }

    @Test(
        "two clones of a laptop that share its rate agree in the end, with all presses of both",
        arguments: 1...3 as ClosedRange<UInt64>)
    func clones(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 4)
        story.limitTightly()
        story.add(.presses(laptop: 0, .start(nil)))
        story.wait(8)
        story.add(.clone(laptop: 0, to: 2))
        story.wait(5)
        story.add(.presses(laptop: 2, .label("2 first")))
        story.add(.presses(laptop: 0, .label("0 first")))
        story.wait(8)
        // A commit takes long enough for both copies to send before either gets an answer.
        story.add(.slowServer(commit: 400_000))
        for round in 0..<6 {
            story.add(.clone(laptop: 0, to: 1))
            story.wait(4)
            // A third copy uses up the device's rate, so that little may be uploaded when the first two
            // copies press at once.
            for number in 0..<150 {
                story.add(.presses(laptop: 2, .label("2 \(round) \(number)")))
                if number % 50 == 49 {
                    story.add(.presses(laptop: 0, .label("0 \(round) \(number)")))
                    story.add(.presses(laptop: 1, .label("1 \(round) \(number)")))
                }
                story.wait(0.01)
            }
            story.wait(20)
        }
        let world = try story.run()
        let actions = try world.events(of: 3).map { "\($0.action)" }
        #expect(actions.count { $0.contains("\"2 ") } == 1 + 6 * 150)
        for laptop in 0..<2 {
            #expect(actions.count { $0.contains("\"\(laptop) ") } == 6 * 3 + (laptop == 0 ? 1 : 0))
        }
    }
}
