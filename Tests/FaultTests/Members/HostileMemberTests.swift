import Adversary
import FocusSync
import IntegrationSupport
import TestSupport
import Testing

extension FaultTests {
    /// Attacks of a member against other groups, in a small form. They use up connections and the server's
    /// memory. `benchmarks adversary` measures all attacks in full size.
    @Suite("A member that means harm")
    struct HostileMemberTests {
        /// The least and the greatest number of messages of an attack.
        private func messages(of attack: Attack) -> (least: Int, most: Int) {
            attack == .reconnections ? (least: 200, most: 2_000) : (least: 8, most: 40)
        }

        @Test(
            "takes nothing from another group, nor from its own group's newcomers",
            arguments: [Attack.frames, .readers, .reconnections])
        func attacks(attack: Attack) throws {
            try AttackedWorld.with { assailed in
                let world = assailed.world
                let attacker = try Attacker(
                    attack, as: assailed.member, .small, on: assailed.loop, seed: 1, within: .patient)
                let before = try peakMemory(of: world.server.process)
                let (least, most) = messages(of: attack)
                let running = RunningAttack(attacker, most: most)
                defer { try? running.end() }
                try eventually("the attack is under way: \(running.sent)") { running.sent >= least / 4 }
                for number in 1...3 {
                    for laptop in assailed.pair { try laptop.press("label", "Beside it \(number)") }
                }
                for (name, invite) in assailed.invites { try world.laptop(name).join(invite) }
                try eventually("the attack has come to \(least) messages, and not \(running.sent)") {
                    running.sent >= least
                }
                // The attack is still under way, or has just ended.
                let log = try world.agree(assailed.pair)
                #expect(log.count { $0.contains("Beside it") } == 6)
                #expect(try world.server.metricsAnswer("/readyz").status == 200)
                try running.end()
                #expect(try peakMemory(of: world.server.process) - before < 64 << 20)
                try expectBounded(assailed.rows())
                #expect(try assailed.pair.allSatisfy { try $0.isOnline })
            }
        }

        /// Expects that the tables stay within one group's limits.
        private func expectBounded(_ rows: AttackedWorld.Rows) throws {
            // A batch that is accepted is stored completely, so the quota may be exceeded a little.
            #expect(rows.groupBytes < AttackedWorld.quota + AttackedWorld.quota / 10 + 2 * Limits.frame)
            #expect(rows.devices <= Limits.devices + 8)
            // 64 open and 64 expired invites, and a few more: the other group's invites and the invites that
            // devices used.
            #expect(rows.invites <= 64 + 64 + 16)
            #expect(rows.epochs <= 1_002)
            #expect(rows.replicas <= Limits.heads)
        }
    }
}
