import FocusCore
import TestSupport
import TestTraits
import Testing

@testable import Simulation

@Suite("What machines forget", .ends(within: .seconds(600)))
struct LossTests {
    @Test(
        "a laptop that loses power while it merges missed events claims only the events that it has",
        arguments: [0, 1, 2, 3, 5, 8, 13, 21, 34])
    func progress(changes: Int) throws {
        var story = Story(seed: UInt64(changes), laptops: 2)
        story.add(.cut(laptop: 1, up: false, down: false, for: 40_000_000))
        story.presses(15, by: 0)
        story.wait(5)
        story.add(.losePower(laptop: 1, changes: changes, for: 1_000_000))
        story.presses(5, by: 0)
        // 60 seconds are enough for every retry.
        story.wait(60)
        let world = try story.run()
        #expect(world.trace.lines.contains { $0.contains("laptop1: loses power") })
        let events = try world.events(of: 1)
        #expect(try events == world.events(of: 0))
        #expect(events.count > 10)
    }

    @Test(
        "a laptop that was reset uses numbers again, and both presses stay",
        arguments: 1...5 as ClosedRange<UInt64>)
    func numberUsedAgain(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 2)
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(1)
        story.add(.backUp(laptop: 0))
        story.add(.presses(laptop: 0, .label("first")))
        // An agent may take five seconds to notice a press.
        story.wait(8)
        story.add(.cut(laptop: 0, up: false, down: false, for: 20_000_000))
        story.add(.restore(laptop: 0))
        story.wait(1)
        story.add(.presses(laptop: 0, .label("second")))
        story.wait(30)
        let world = try story.run()
        let labels = try world.events(of: 1).map { "\($0.action)" }
        #expect(labels.contains { $0.contains("first") })
        #expect(labels.contains { $0.contains("second") })
    }

    @Test(
        "what was added by hand, split and imported on both sides of a restore is in the history once, and can be undone",
        arguments: 1...5 as ClosedRange<UInt64>)
    func entriesOnBothSides(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 2)
        story.add(.backUp(laptop: 1))
        for press in [Step.Press.log("Monday"), .split, .importFile("file")] {
            story.add(.presses(laptop: 1, press))
            story.wait(1)
        }
        story.wait(8)
        story.add(.restore(laptop: 1))
        story.wait(1)
        for press in [Step.Press.log("Tuesday"), .split, .importFile("file")] {
            story.add(.presses(laptop: 1, press))
            story.wait(1)
        }
        story.wait(30)
        // The other laptop's session is older than the entry, which the undo takes back.
        story.add(.presses(laptop: 0, .start("others")))
        story.wait(8)
        for label in ["Wednesday", "Thursday"] {
            story.add(.presses(laptop: 1, .log(label)))
            story.wait(2)
        }
        story.add(.presses(laptop: 1, .undo))
        story.wait(8)
        let world = try story.run()
        for laptop in 0..<2 {
            let shown = try #require(try world.shown(by: laptop))
            let labels = Dictionary(grouping: shown.history, by: \.label).mapValues(\.count)
            #expect(labels == ["Monday": 2, "Tuesday": 2, "file": 1, "Wednesday": 1])
            #expect(shown.label == "others")
        }
    }

    @Test("presses after a restore aren't dropped", arguments: 1...5 as ClosedRange<UInt64>)
    func afterRestore(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        story.presses(5, by: 0)
        story.add(.backUp(laptop: 0))
        story.presses(10, by: 0)
        story.add(.restore(laptop: 0))
        // Stops any run that is open.
        story.add(.presses(laptop: 0, .stop))
        story.add(.presses(laptop: 0, .start("after")))
        for number in 0..<10 {
            story.add(.presses(laptop: 0, .label("after \(number)")))
            story.wait(2)
        }
        let world = try story.run()
        for laptop in 0..<3 {
            let labels = try world.events(of: laptop).compactMap(\.pressedLabel)
            #expect(labels.filter { $0.hasPrefix("after") } == ["after"] + (0..<10).map { "after \($0)" })
        }
    }

    @Test(
        "two clones of a laptop press on, and nothing is lost",
        arguments: 1...5 as ClosedRange<UInt64>)
    func cloned(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        story.presses(5, by: 0)
        // Stops any run that is open.
        story.add(.presses(laptop: 0, .stop))
        story.add(.presses(laptop: 0, .start("both")))
        story.wait(8)
        story.add(.clone(laptop: 0, to: 1))
        for number in 0..<10 {
            for (laptop, place) in ["here", "there"].enumerated() {
                story.add(.presses(laptop: laptop, .label("\(place) \(number)")))
                story.add(.press(laptop: laptop))
            }
            story.wait(1)
        }
        let world = try story.run()
        // A randomly chosen press may end the session, and then there is nothing to label.
        let taken = world.ledger.entries.compactMap(\.event.pressedLabel)
        for place in ["here", "there"] { #expect(taken.contains { $0.hasPrefix(place) }) }
        for laptop in 0..<3 {
            let labels = try world.events(of: laptop).compactMap(\.pressedLabel)
            #expect(Set(taken).subtracting(labels) == [])
        }
    }

    @Test(
        "a clone whose commands sync all at once has each press once",
        arguments: 1...40 as ClosedRange<UInt64>)
    func clonedAndBusy(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        story.plan.agentless = [1]
        story.plan.delaySpikesPerThousand = 20
        story.add(.presses(laptop: 0, .start(nil)))
        story.wait(5)
        for round in 0..<4 {
            story.add(.clone(laptop: 0, to: 1))
            story.add(.cut(laptop: 1, up: false, down: false, for: 20_000_000))
            for number in 0..<4 {
                story.add(.presses(laptop: 0, .label("here \(round) \(number)")))
                story.wait(1)
                story.add(.presses(laptop: 1, .label("there \(round) \(number)")))
                story.wait(1)
            }
            story.wait(15)
            // Each command has its own connection, and finds that the logs have parted.
            for number in 0..<4 {
                story.add(.presses(laptop: 1, .label("then \(round) \(number)")))
                story.wait(0.03)
            }
            story.wait(20)
        }
        let world = try story.run()
        // A copy that loses power meanwhile makes fewer presses, and may lose the start.
        #expect(world.counts.presses >= 30)
    }

    @Test(
        "a server that has forgotten what it acknowledged gets it again, though its laptops count it as sent")
    func restoredServer() throws {
        var story = Story(laptops: 3, outsiders: [2])
        story.presses(5, by: 0)
        story.add(.backUpServer)
        story.add(.cut(laptop: 1, up: false, down: false, for: 60_000_000))
        story.presses(10, by: 0)
        story.add(.restoreServer)
        story.wait(10)
        story.add(.join(laptop: 2, by: 0))
        story.presses(5, by: 0)
        story.wait(60)
        let world = try story.run()
        #expect(try world.events(of: 2) == world.events(of: 0))
    }

    @Test(
        "an empty server that can store nothing yet acknowledges nothing",
        arguments: 1...5 as ClosedRange<UInt64>)
    func wipedServer(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        story.presses(5, by: 0)
        story.presses(5, by: 1)
        story.add(.wipeServer)
        story.wait(0.5)
        story.add(.fillServerDisk(for: 30_000_000))
        story.presses(5, by: 0)
        story.presses(5, by: 1)
        let world = try story.run()
        let lines = world.trace.lines
        let full = try #require(lines.firstIndex { $0.contains("fillServerDisk") })
        let calm = try #require(lines[full...].firstIndex { $0.contains("calm") })
        #expect(!lines[full..<calm].contains { $0.contains("commits") })
        #expect(lines[calm...].contains { $0.contains("commits") })
        for laptop in 1..<3 { #expect(try world.events(of: laptop) == world.events(of: 0)) }
    }

    @Test(
        "a server that is told to stop while laptops send ends soon, and has what it acknowledged",
        arguments: 1...6 as ClosedRange<UInt64>)
    func stoppedServer(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        for round in 0..<3 {
            story.presses(20, by: 0, every: 0.02)
            story.presses(20, by: 1, every: 0.02)
            if round == 1 { story.add(.cut(laptop: 2, up: true, down: false, for: 40_000_000)) }
            story.add(.stopServer(for: 3_000_000))
            story.presses(20, by: 2, every: 0.1)
            story.wait(5)
        }
        let world = try story.run()
        let lines = world.trace.lines.filter { $0.contains(" server: ") }
        #expect(lines.count { $0.contains("is told to stop") } == 3)
        #expect(lines.count { $0.contains("starts") } >= 4)
        for laptop in 1..<3 { #expect(try world.events(of: laptop) == world.events(of: 0)) }
        #expect(world.counts.presses > 30)
    }

    @Test("a laptop with a wrong group key disturbs nobody, and says what it can't read")
    func wrongKey() throws {
        var story = Story(laptops: 3, outsiders: [2])
        story.presses(5, by: 0)
        story.add(.joinWithWrongKey(laptop: 2, by: 0))
        story.wait(10)
        story.presses(5, by: 2)
        story.presses(5, by: 1)
        let world = try story.run()
        #expect(try world.sealedEvents(of: 2) > 3)
        #expect(try world.sealedEvents(of: 0) == 0)
    }

    @Test(
        "a clone that re-authored events gets its twin's events under the old names",
        arguments: 1...4 as ClosedRange<UInt64>)
    func clonedAhead(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 3)
        story.add(.stepServerClock(by: 365 * 86_400_000_000, for: 60_000_000))
        story.add(.killServer(for: 1_000_000))
        story.wait(10)
        story.add(.clone(laptop: 2, to: 0))
        story.wait(60)
        story.add(.presses(laptop: 0, .start("twin")))
        story.add(.presses(laptop: 2, .start("first")))
        story.wait(5)
        let world = try story.run()
        for laptop in 0..<3 {
            let labels = try world.events(of: laptop).compactMap(\.pressedLabel)
            #expect(labels.sorted() == ["first", "twin"])
        }
    }

    @Test(
        "an outdated welcome on another connection takes back no acknowledgement",
        arguments: 1...8 as ClosedRange<UInt64>)
    func staleWelcome(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 2)
        for step in 0..<20 {
            story.add(.slowServer(commit: 300_000))
            story.add(.presses(laptop: 0, step % 2 == 0 ? .start("b") : .stop))
            // When the welcome of the invite's connection arrives, the server may already have acknowledged
            // more than it shows.
            story.wait(0.01)
            story.add(.invite(laptop: 0))
            story.wait(2)
            story.add(.calm)
        }
        let world = try story.run()
        #expect(world.trace.lines.count { $0.contains("laptop0: operation ") } >= 20)
        let events = try world.events(of: 1)
        #expect(events.compactMap(\.pressedLabel) == Array(repeating: "b", count: 10))
        #expect(events.count { if case .stop = $0.action { true } else { false } } == 10)
    }

    @Test("a log that needs several reads arrives whole")
    func longLog() throws {
        var story = Story(laptops: 3, outsiders: [2])
        for number in 0..<1_600 {
            if number % 400 == 0 { story.add(.presses(laptop: 0, .start(nil))) }
            story.add(.presses(laptop: number % 2, .label("work \(number)")))
            story.wait(0.02)
        }
        story.wait(5)
        story.add(.join(laptop: 2, by: 0))
        story.wait(30)
        let world = try story.run()
        #expect(try world.events(of: 2).count > 1_600)
    }
}
