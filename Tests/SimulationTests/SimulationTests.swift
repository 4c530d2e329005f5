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

    @Test(
        "a world that has ended leaves none of its laptops behind, whatever they were in the middle of",
        arguments: 1...12)
    func letGo(centiseconds: Int) throws {
        var laptops: [Weak] = []
        do {
            var story = Story(laptops: 4)
            // For some values the first laptop is about to connect, and the command of the last laptop runs.
            // Other commands still run when the world ends, while one laptop sleeps.
            story.wait(Double(centiseconds) / 100)
            story.add(.kill(laptop: 0, changes: 0, for: 1_000_000))
            story.wait(1)
            story.add(.suspend(laptop: 1, for: 120_000_000))
            story.add(.presses(laptop: 3, .start("one")))
            story.wait(Double(centiseconds) / 100)
            story.add(.kill(laptop: 3, changes: 0, for: 1_000))
            story.wait(60)
            story.add(.presses(laptop: 3, .stop))
            story.add(.kill(laptop: 2, changes: 0, for: 1_000))
            story.wait(Double(centiseconds) / 100)
            story.add(.press(laptop: 2))
            var plan = story.plan
            plan.agentless = [3]
            let world = try World(plan)
            world.run()
            #expect(world.violation == nil)
            laptops = world.laptops.map { Weak(laptop: $0) }
        }
        #expect(laptops.map { $0.laptop?.name } == [nil, nil, nil, nil])
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

    @Test("too many unchecked actions are a fault, in a hundred worlds or more")
    func skipped() {
        var reach = Reach()
        reach.note(.held, "on returning", times: 90)
        reach.note(.skip, "a long log", times: 10)
        #expect(reach.skipped == 10)
        #expect(reach.troubles(in: 100).count == 1)
        reach.note(.skip, "joining", times: 20)
        #expect(reach.skipped == 25)
        #expect(reach.troubles(in: 99) == [])
        #expect(reach.troubles(in: 100).count == 2)
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

    @Test("mutants are taken by turns, and after enough turns each has been tried") func turns() {
        let all = Array(1...23)
        let taken = (0..<3).flatMap { MutantRunner.part(of: all, 10, turn: $0) }
        #expect(taken == all + Array(1...7))
        #expect(MutantRunner.part(of: all, 100, turn: 4) == Array(all[0...]))
        #expect(MutantRunner.part(of: [Int](), 10, turn: 3).isEmpty)
        #expect(MutantRunner.part(of: all, 10, turn: .max).count == 10)
    }
}
