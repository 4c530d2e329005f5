import Simulation
import Testing

@Suite("Simulated worlds")
struct SimulationTests {
    @Test(
        "whatever goes wrong, no press is lost and everybody agrees in the end",
        arguments: 1...24 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        let world = World(Plan(seed: seed, minutes: 2))
        world.run()
        #expect(
            world.violation == nil, "again: swift run simulate --seed \(seed) --minutes 2 --trace")
    }

    @Test("a seed names a run, to the last byte of its trace", arguments: [4, 9, 27, 41] as [UInt64])
    func repeated(seed: UInt64) {
        let worlds = (0..<3).map { _ in World(Plan(seed: seed, minutes: 2), trace: .kept) }
        for world in worlds { world.run() }
        let lines = worlds[0].trace.lines
        #expect(lines.count > 10)
        for other in worlds.dropFirst().map(\.trace.lines) {
            #expect(other.count == lines.count)
            let place = zip(lines, other).enumerated().first { $1.0 != $1.1 }?.offset
            #expect(place.map { "\(lines[$0]) | \(other[$0])" } == nil)
        }
    }

    @Test("each mutant stands in for code that is there exactly once")
    func mutants() throws {
        #expect(try Mutant.misplaced() == [])
        #expect(Mutant.all.count >= 15)
    }
}
