import FocusCore
import Simulation
import TestSupport
import TestTraits
import Testing

@Suite("A member of another group who means harm", .ends(within: .seconds(600)))
struct IntruderTests {
    @Test(
        "whatever it does, the others' presses are answered in their turn, nobody is locked out, and its group stays within its limits",
        arguments: 1...3 as ClosedRange<UInt64>)
    func harm(seed: UInt64) throws {
        var story = Story(seed: seed, groups: [0, 0, 1], outsiders: [1])
        story.plan.hasIntruder = true
        var dice = SeededGenerator(seed: seed)
        for laptop in [0, 2] { story.add(.presses(laptop: laptop, .start(nil))) }
        for round in 0..<60 {
            story.plan.steps.append(Step(story.time, .intrude, seed: dice.next()))
            story.wait(0.3)
            if round == 20 { story.add(.join(laptop: 1, by: 0)) }
            if round == 40 { story.add(.killServer(for: 1_000_000)) }
            for laptop in [0, 2] { story.add(.presses(laptop: laptop, .label("round \(round)"))) }
            story.wait(0.3)
        }
        let world = try story.run()
        #expect(world.counts.intruded > 100)
        for laptop in [0, 1, 2] {
            let events = try world.events(of: laptop)
            #expect(events.contains { "\($0.action)".contains("round 59") }, "laptop \(laptop)")
        }
    }
}
