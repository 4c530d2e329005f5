import FocusCore
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("Networks that are bad", .ends(within: .seconds(600)))
struct NetworkTests {
    @Test("a laptop that reads slowly gets everything, and the server's memory for it stays small")
    func slowReader() throws {
        var story = Story(laptops: 3)
        story.add(.presses(laptop: 0, .start(nil)))
        story.add(.slow(laptop: 2, bytesPerSecond: 2_000, for: 100_000_000))
        for number in 0..<500 {
            story.add(.presses(laptop: number % 2, .label(String(repeating: "x", count: 900) + "\(number)")))
            story.wait(0.05)
        }
        story.wait(90)
        let world = try story.run()
        #expect(try world.events(of: 2).count > 500)
    }

    @Test(
        "a connection that goes one way for a while costs nothing",
        arguments: [true, false], 1...3 as ClosedRange<UInt64>)
    func oneWay(isUp: Bool, seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 2)
        story.add(.presses(laptop: 0, .start("work")))
        story.wait(8)
        story.add(.cut(laptop: 0, up: isUp, down: !isUp, for: 70_000_000))
        for number in 0..<10 {
            for laptop in 0..<2 {
                story.add(.presses(laptop: laptop, .label("\(laptop) \(number)")))
                story.wait(2)
            }
        }
        story.wait(60)
        let world = try story.run()
        let labels = (0..<2).flatMap { laptop in (0..<10).map { "\(laptop) \($0)" } } + ["work"]
        for laptop in 0..<2 {
            #expect(try world.events(of: laptop).compactMap(\.pressedLabel).sorted() == labels.sorted())
        }
    }

    @Test(
        "events that arrive on a new connection and later on an old one count once",
        arguments: 1...6 as ClosedRange<UInt64>)
    func late(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 2)
        story.add(.cut(laptop: 0, up: false, down: true, for: 20_000_000))
        for number in 0..<4 {
            story.add(.presses(laptop: 0, .start("session \(number)")))
            story.wait(1)
            story.add(.presses(laptop: 0, .stop))
        }
        // The agent that starts after the reboot connects when the old connection's last bytes arrive.
        story.add(.losePower(laptop: 0, changes: 0, for: 5_000_000))
        story.presses(1, by: 0)
        story.wait(30)
        let world = try story.run()
        let starts = try world.events(of: 1).compactMap(\.pressedLabel)
        for number in 0..<4 { #expect(starts.count { $0 == "session \(number)" } == 1) }
    }

    @Test("a batch that a crash of the server interrupts is whole in the end", arguments: 0...16)
    func tornBatch(changes: Int) throws {
        var story = Story(seed: UInt64(changes), laptops: 3)
        for laptop in 0..<2 { story.add(.cut(laptop: laptop, up: false, down: false, for: 20_000_000)) }
        for (laptop, place) in ["here", "there"].enumerated() {
            story.add(.presses(laptop: laptop, .start(place)))
        }
        for number in 0..<10 {
            story.add(.presses(laptop: 0, .label("here \(number)")))
            story.add(.presses(laptop: 1, .label("there \(number)")))
            story.wait(0.5)
        }
        story.wait(14)
        story.add(.losePowerOfServer(changes: changes, for: 2_000_000))
        story.wait(30)
        let world = try story.run()
        #expect(world.serverFailures == 1)
        let labels = try world.events(of: 2).compactMap(\.pressedLabel)
        for number in 0..<10 {
            #expect(labels.count { $0 == "here \(number)" } == 1)
            #expect(labels.count { $0 == "there \(number)" } == 1)
        }
    }
}
