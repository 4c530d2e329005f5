import Foundation
import IntegrationSupport
import TestSupport
import TestTraits
import Testing

/// Kills real programs a thousand times: `make soak`. It isn't part of `make test`, because it runs for as
/// long as it is told to.
@Suite("Soak", .onThreadOfItsOwn)
struct SoakTests {
    @Test("nothing that was pressed is lost, whatever is killed, filled, set wrong and restored")
    func soak() throws {
        let variables = ProcessInfo.processInfo.environment
        let seed = variables["SOAK_SEED"].flatMap(UInt64.init) ?? .random(in: 0...999_999)
        let seconds = variables["SOAK_SECONDS"].flatMap(Int.init) ?? 600
        let kills = variables["SOAK_KILLS"].flatMap(Int.init) ?? 1000
        print("soak: seed \(seed), up to \(seconds) s or \(kills) kills")
        let began = ContinuousClock.now
        var tally = Tally()
        var random = SeededGenerator(seed: seed)
        // Each world lasts only for a while, because a log of thousands of presses takes long to compare.
        while tally.kills < kills, ContinuousClock.now - began < .seconds(seconds) {
            try World.with { world in
                let soak = try Soak(world, seed: random.next(), tally)
                try soak.run(kills: min(tally.kills + 100, kills), until: began + .seconds(seconds))
                tally = soak.tally
            }
            WrongClock.clearUp()
            print("soak: \(tally), after \((ContinuousClock.now - began).components.seconds) s")
        }
        #expect(tally.lost.isEmpty && tally.doubled.isEmpty, "seed \(seed)")
        #expect(tally.presses > 0 && tally.kills > 0)
        let isCutShort = tally.kills < kills
        if isCutShort { print("soak: time ended it, after \(tally.kills) of \(kills) kills") }
        #expect(!isCutShort || ContinuousClock.now - began >= .seconds(seconds))
        // With that many kills, each kind of fault has occurred.
        guard tally.kills >= 100 else { return }
        #expect(tally.steps > 0 && tally.serverSteps > 0 && tally.restores > 0)
        #expect(tally.fills > 0 || !SmallDisk.isPossible)
    }
}
