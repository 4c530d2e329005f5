import Simulation
import Testing

@Suite("Simulated worlds")
struct SimulationTests {
    @Test(
        "whatever goes wrong, no press is lost and everybody agrees in the end",
        arguments: 1...24 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        let world = World(Plan(seed: seed, minutes: 3))
        world.run()
        #expect(
            world.violation == nil, "again: swift run simulate --seed \(seed) --minutes 3 --trace")
    }

    @Test("a seed names a run, to the last byte of its trace", arguments: [4, 9, 27] as [UInt64])
    func repeated(seed: UInt64) {
        let worlds = (0..<2).map { _ in World(Plan(seed: seed, minutes: 3), trace: .kept) }
        for world in worlds { world.run() }
        #expect(worlds[0].trace.lines.count > 10)
        #expect(worlds[0].trace.lines == worlds[1].trace.lines)
    }

    @Test("each mutant stands in for code that is there exactly once")
    func mutants() throws {
        #expect(try Mutant.misplaced() == [])
        #expect(Mutant.all.count >= 15)
    }
}
