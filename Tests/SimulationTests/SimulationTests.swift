import FocusCore
import TestSupport
import TestTraits
import Testing

@testable import Simulation

@Suite("Simulated worlds", .ends(within: .seconds(600)))
struct SimulationTests {
    /// Some of these worlds have a traitor, and some have a host that lies.
    @Test(
        "whatever goes wrong, no press is lost and everybody agrees in the end",
        arguments: 19...30 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var laptops: [Weak] = []
        do {
            let world = try World(Plan(seed: seed, minutes: 2))
            world.run()
            #expect(
                world.violation == nil,
                "again: swift run -c release simulate --seed \(seed) --minutes 2 --trace")
            laptops = world.laptops.map { Weak(laptop: $0) }
        }
        #expect(laptops.compactMap { $0.laptop?.name } == [], "left behind by the world of seed \(seed)")
    }

    private struct Weak { weak var laptop: Laptop? }

    @Test("a seed names a run, to the last byte of its trace") func repeated() throws {
        let worlds = try (0..<2).map { _ in try World(Plan(seed: 9, minutes: 2), trace: .kept) }
        for world in worlds { world.run() }
        let lines = worlds[0].trace.lines
        #expect(lines.count > 10)
        for other in worlds.dropFirst().map(\.trace.lines) {
            #expect(other.count == lines.count)
            let place = zip(lines, other).enumerated().first { $1.0 != $1.1 }?.offset
            #expect(place.map { "\(lines[$0]) | \(other[$0])" } == nil)
        }
    }

    @Test("a traitor that chance brings has the plan of a certain one") func treason() {
        let plans = (1...100 as ClosedRange<UInt64>).map { Plan(seed: $0, minutes: 2) }
        let betrayed = plans.filter { $0.traitorGroup != nil }
        #expect(!betrayed.isEmpty)
        for plan in betrayed { #expect(plan == Plan(seed: plan.seed, minutes: 2, hasTraitor: true)) }
    }

    @Test("each mutant stands in for code that is there exactly once") func mutants() throws {
        let misplaced = try Mutant.misplaced().map(\.name)
        #expect(misplaced == [])
        #expect(Set(Mutant.all.map(\.name)).count == Mutant.all.count)
    }

    @Test("entries that a world reached are counted, and the others are missing") func reach() throws {
        let world = try World(Plan(seed: 3, minutes: 2))
        #expect(world.reach.missing(in: 99).isEmpty)
        #expect(world.reach.missing(in: 100) == Reach.usual)
        #expect(world.reach.missing(in: 1_000) == Reach.usual + Reach.rare)
        world.run()
        let missing = world.reach.missing(in: 100)
        #expect(!missing.contains("press toggle"))
        #expect(!missing.contains("event start"))
        #expect(!missing.contains("message welcome"))
        #expect(Set(Reach.expected(of: 1_000)).count == Reach.usual.count + Reach.rare.count)
    }

    @Test("worlds have to reach each setting") func settings() {
        let expected = Set(Reach.usual)
        let missing = SettingKey.allCases.filter { !expected.contains("setting \($0.rawValue)") }
        #expect(missing == [])
    }

    @Test("the expected coverage names every branch of the timer rules") func branches() {
        let expected = Set(Reach.expected(of: 1_000))
        for rule in NaiveRule.allCases {
            #expect(expected.contains("rule \(rule.rawValue)") != Reach.seldom.contains(rule), "\(rule)")
        }
    }
}
