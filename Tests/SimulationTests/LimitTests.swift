import FocusCore
import Simulation
import TestSupport
import Testing

@Suite("A server with tight limits")
struct LimitTests {
    @Test(
        "whoever writes more than the server takes at once loses nothing, and gets all of it there in the end",
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
        "two machines that are one laptop, and share what it may write, come to rest with all that was pressed on both",
        arguments: 1...3 as ClosedRange<UInt64>)
    func clones(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        story.limitTightly()
        story.presses(3, by: 0)
        story.wait(8)
        story.add(.clone(laptop: 0, to: 1))
        story.wait(5)
        for number in 0..<400 {
            story.add(.presses(laptop: number % 2, .label("\(number % 2) \(number)")))
            story.wait(0.01)
        }
        story.wait(30)
        let world = try story.run()
        for laptop in 0..<2 {
            let events = try world.events(of: 2)
            #expect(events.count { "\($0.action)".contains("\"\(laptop) ") } == 200)
        }
    }
}
