import FocusCore
import FocusLink
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("The group's key", .ends(within: .seconds(600)))
struct KeyTests {
    /// Expects that these laptops have the same epochs, `count` of them.
    private func expect(_ count: Int, epochsOf laptops: ClosedRange<Int>, in world: World) throws {
        let epochs = try laptops.map { try world.epochs(of: $0) }
        #expect(Set(epochs).count == 1)
        #expect(epochs[0].count == count)
        #expect(try laptops.map { try world.sealedEvents(of: $0) }.allSatisfy { $0 == 0 })
    }

    @Test("is changed once a laptop is revoked, which has only the old key")
    func revocation() throws {
        var story = Story(laptops: 3)
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(5)
        story.add(.revoke(laptop: 2, by: 0))
        story.wait(10)
        story.add(.presses(laptop: 1, .label("after")))
        story.wait(5)
        let world = try story.run()
        try expect(2, epochsOf: 0...1, in: world)
        #expect(try world.epochs(of: 2).count == 1)
        #expect(try world.ownEpochs(of: 1).last == world.epochs(of: 1).last)
        #expect(world.counts.shutOut > 0)
    }

    @Test(
        "is one, though two laptops change it at the same moment",
        arguments: 1...6 as ClosedRange<UInt64>)
    func race(seed: UInt64) throws {
        var story = Story(seed: seed, laptops: 4)
        story.add(.revoke(laptop: 3, by: 0))
        story.add(.revoke(laptop: 3, by: 1))
        story.wait(10)
        for laptop in 0...2 { story.presses(2, by: laptop) }
        let world = try story.run()
        try expect(2, epochsOf: 0...2, in: world)
    }

    @Test("reaches a laptop that was away during two changes, and its presses reach the group")
    func away() throws {
        var story = Story(laptops: 5)
        story.add(.presses(laptop: 0, .start("together")))
        story.wait(5)
        story.add(.cut(laptop: 1, up: true, down: true, for: 1))
        story.add(.cut(laptop: 1, up: false, down: false, for: 120_000_000))
        story.wait(1)
        story.add(.presses(laptop: 1, .label("pressed while away")))
        story.add(.revoke(laptop: 3, by: 0))
        story.wait(20)
        story.add(.revoke(laptop: 4, by: 0))
        story.wait(20)
        story.add(.presses(laptop: 2, .workLength(600)))
        story.wait(180)
        story.add(.presses(laptop: 1, .workLength(1_200)))
        let world = try story.run()
        try expect(3, epochsOf: 0...2, in: world)
        let (epochs, own) = (try world.epochs(of: 1), try world.ownEpochs(of: 1))
        #expect(own.last == epochs.last)
        #expect(own.dropLast().last == epochs.first)
        let labels = try world.events(of: 2).map { "\($0.action)" }.filter {
            $0.contains("pressed while away")
        }
        #expect(!labels.isEmpty)
    }

    @Test(
        "reaches a laptop that joins during a change, which then reads everything",
        arguments: 1...10)
    func joiner(tenths: Int) throws {
        var story = Story(seed: UInt64(tenths), laptops: 4, outsiders: [3])
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(5)
        story.add(.join(laptop: 3, by: 0))
        story.wait(0.1 * Double(tenths))
        // The laptop may have joined by now, but the others haven't heard of it.
        story.add(.cut(laptop: 3, up: false, down: false, for: 20_000_000))
        story.add(.revoke(laptop: 2, by: 1))
        story.wait(10)
        story.add(.presses(laptop: 1, .label("between")))
        story.wait(40)
        story.add(.join(laptop: 3, by: 0))
        story.wait(20)
        let world = try story.run()
        let epochs = try world.epochs(of: 0)
        #expect((2...3).contains(epochs.count))
        #expect(try world.epochs(of: 3) == epochs)
        #expect(try world.events(of: 3).contains { "\($0.action)".contains("between") })
    }

    @Test("a restored server that lists again who was shut out is told, and the key stays changed")
    func restored() throws {
        var story = Story(laptops: 3)
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(5)
        story.add(.backUpServer)
        story.add(.revoke(laptop: 2, by: 0))
        story.wait(10)
        story.add(.presses(laptop: 0, .label("after")))
        story.wait(5)
        story.add(.restoreServer)
        story.wait(30)
        story.presses(3, by: 1)
        let world = try story.run()
        try expect(2, epochsOf: 0...1, in: world)
        #expect(world.counts.shutOut > 0)
    }

    @Test("becomes one again after a restored server has lost one successor and got another")
    func fork() throws {
        var story = Story(laptops: 4)
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(5)
        story.add(.backUpServer)
        story.add(.kill(laptop: 1, for: 20_000_000))
        story.wait(1)
        story.add(.revoke(laptop: 3, by: 0))
        story.wait(5)
        story.add(.presses(laptop: 0, .label("after the first")))
        story.wait(5)
        story.add(.cut(laptop: 0, up: false, down: false, for: 200_000_000))
        story.add(.cut(laptop: 2, up: false, down: false, for: 200_000_000))
        story.add(.restoreServer)
        story.wait(60)
        story.add(.revokeAtServer(laptop: 3))
        story.wait(20)
        story.add(.presses(laptop: 1, .workLength(600)))
        story.wait(200)
        story.presses(2, by: 2)
        let world = try story.run()
        try expect(4, epochsOf: 0...2, in: world)
    }

    @Test(
        "comes back to a laptop that was restored from a copy of before it changed, whether others made it or the laptop had written under it",
        arguments: [false, true])
    func restoredLaptop(joinsLate: Bool) throws {
        var story = Story(laptops: 5, outsiders: joinsLate ? [1] : [])
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(5)
        if joinsLate {
            // The joining laptop gets its first epoch with the invite: the epoch's record has no part for the
            // laptop.
            story.add(.revoke(laptop: 4, by: 0))
            story.wait(10)
            story.add(.join(laptop: 1, by: 0))
            story.wait(10)
        }
        story.add(.backUp(laptop: 1))
        story.add(.revoke(laptop: 3, by: 0))
        story.wait(10)
        story.add(.presses(laptop: 1, .label("under the lost key")))
        story.wait(5)
        story.add(.revoke(laptop: 2, by: 0))
        story.wait(10)
        story.add(.presses(laptop: 0, .workLength(600)))
        story.wait(5)
        story.add(.restore(laptop: 1))
        story.wait(40)
        story.add(.presses(laptop: 1, .workLength(1_200)))
        let world = try story.run()
        try expect(joinsLate ? 4 : 3, epochsOf: 0...1, in: world)
        let events = try world.events(of: 1).map { "\($0.action)" }
        #expect(events.contains { $0.contains("under the lost key") })
        #expect(try world.events(of: 0).map { "\($0.action)" } == events)
    }

    @Test("is changed by the next command that syncs if nobody has an agent")
    func agentless() throws {
        var story = Story(laptops: 3)
        story.plan.agentless = [0, 1, 2]
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(5)
        story.add(.revokeAtServer(laptop: 2))
        story.wait(5)
        story.presses(2, by: 1)
        let world = try story.run()
        try expect(2, epochsOf: 0...1, in: world)
    }

    @Test("moves to another server, with all events under older keys") func moving() throws {
        var story = Story(laptops: 3)
        story.add(.presses(laptop: 0, .start("before")))
        story.wait(5)
        story.add(.revoke(laptop: 2, by: 0))
        story.wait(10)
        story.add(.presses(laptop: 1, .label("after")))
        story.wait(5)
        story.add(.wipeServer)
        story.wait(60)
        story.presses(2, by: 1)
        let world = try story.run()
        try expect(2, epochsOf: 0...1, in: world)
    }

    @Test(
        "isn't given to a laptop that shows itself only after a revocation, until somebody accepts it")
    func unknownLaptop() throws {
        var unaccepted = 0
        var late = 0
        for changes in [25, 40] {
            for isKnown in [false, true] {
                var story = Story(laptops: 4, outsiders: [3])
                if !isKnown { story.plan.unknownLaptops = [3] }
                story.add(.presses(laptop: 0, .start("before")))
                story.wait(5)
                // The laptop is let in, and falls silent before the others hear of it.
                story.add(.kill(laptop: 3, changes: changes, for: 60_000_000))
                story.add(.join(laptop: 3, by: 2))
                story.wait(2)
                story.add(.revoke(laptop: 2, by: 0))
                story.wait(10)
                story.add(.presses(laptop: 1, .label("after")))
                story.wait(90)
                let world = try story.run()
                unaccepted += world.counts.latecomers
                guard isKnown, try world.epochs(of: 3).count > 1 else { continue }
                late += 1
                #expect(try world.epochs(of: 3) == world.epochs(of: 0))
                // Both others were notified of the waiting laptop. Laptop 0 accepted it, so laptop 1 was
                // notified of that.
                for laptop in 0...1 {
                    #expect(
                        world.notices(of: laptop).contains {
                            if case .latecomers = $0 { true } else { false }
                        })
                }
                #expect(world.notices(of: 1).contains { if case .newcomers = $0 { true } else { false } })
                #expect(try world.events(of: 3).contains { "\($0.action)".contains("after") })
            }
        }
        #expect(unaccepted > 0)
        #expect(late > 0)
    }
}
