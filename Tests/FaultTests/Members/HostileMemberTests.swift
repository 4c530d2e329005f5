import Adversary
import FocusSync
import IntegrationSupport
import TestSupport
import Testing

extension FaultTests {
    /// What a member of one group does to those of another: the cheapest form of those attacks that are about
    /// connections and a process's memory. `benchmarks adversary` measures the dearest form of all.
    @Suite("A member that means harm")
    struct HostileMemberTests {
        /// How many messages an attack comes to at least, and at most.
        private func messages(of attack: Attack) -> (least: Int, most: Int) {
            attack == .reconnections ? (least: 200, most: 2_000) : (least: 8, most: 40)
        }

        @Test(
            "takes nothing from another group, nor from its own group's newcomers",
            arguments: [Attack.frames, .readers, .reconnections])
        func attacks(attack: Attack) throws {
            try Assailed.with { assailed in
                let world = assailed.world
                let attacker = try Attacker(
                    attack, as: assailed.member, .small, on: assailed.loop, seed: 1, within: .patient)
                let before = try assailed.peakMemory()
                let (least, most) = messages(of: attack)
                let running = RunningAttack(attacker, most: most)
                defer { try? running.end() }
                try eventually("the attack is under way: \(running.said)") { running.said >= least / 4 }
                for number in 1...3 {
                    for laptop in assailed.pair { try laptop.press("label", "Beside it \(number)") }
                }
                for (name, invite) in assailed.invites { try world.laptop(name).join(invite) }
                try eventually("the attack has come to \(least) messages, and not \(running.said)") {
                    running.said >= least
                }
                // Beside it still, or right after it.
                let log = try world.agree(assailed.pair)
                #expect(log.count { $0.contains("Beside it") } == 6)
                #expect(try world.server.page("/readyz").status == 200)
                try running.end()
                #expect(try assailed.peakMemory() - before < 64 << 20)
                try expectBounded(assailed.rows())
                #expect(try assailed.pair.allSatisfy { try $0.isOnline })
            }
        }

        /// What one group may have of each.
        private func expectBounded(_ rows: Assailed.Rows) throws {
            // What is taken at once is taken whole.
            #expect(rows.groupBytes < Assailed.quota + Assailed.quota / 10 + 2 * Limits.frame)
            #expect(rows.devices <= Limits.devices + 8)
            // 64 that are open and 64 that ended, and a few: the other group's, and those that devices came in by.
            #expect(rows.invites <= 64 + 64 + 16)
            #expect(rows.epochs <= 1_002)
            #expect(rows.replicas <= Limits.heads)
        }
    }
}
