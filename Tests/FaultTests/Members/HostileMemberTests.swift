import Adversary
import FocusCore
import FocusSeal
import FocusSync
import IntegrationSupport
import TestSupport
import Testing

extension FaultTests {
    /// What a member of one group does to those of another: the cheapest form of each attack of which
    /// `benchmarks adversary` measures the dearest.
    @Suite("A member that means harm")
    struct HostileMemberTests {
        /// How many messages an attack comes to at least, and at most.
        private func messages(of attack: Attack) -> (least: Int, most: Int) {
            switch attack {
            case .rosters: (8, 40)
            case .epochs: (150, 400)
            case .frames, .readers: (8, 40)
            case .invites: (400, 4_000)
            case .duplicates, .replicas, .reconnections, .stamps, .chains, .successors, .siblings, .pings:
                (200, 2_000)
            }
        }

        @Test(
            "takes nothing from another group, nor from its own group's newcomers",
            arguments: Attack.allCases)
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

        @Test(
            "loses the connection on which it sends what can't be read, and nobody loses another",
            arguments: [4])
        func bytes(seed: UInt64) throws {
            print("bytes: seed \(seed)")
            var random = SeededGenerator(seed: seed)
            try Assailed.with { assailed in
                let bounds = AttackBounds.patient
                let (sound, _) = try assailed.member.enter(within: bounds)
                for kind in 0..<6 {
                    let (connection, welcome) = try assailed.member.enter(within: bounds)
                    let event = welcome.vector.heads.keys.min()
                    for _ in 0..<3 { try connection.say(.ping(sent: 1), within: bounds) }
                    if let event { try connection.say(.want(event, after: 0), within: bounds) }
                    try connection.send(hostileBytes(kind, &random), within: bounds)
                    try eventually("bytes of kind \(kind) end their connection") { connection.isClosed }
                }
                try sound.say(.ping(sent: 77), within: bounds)
                try sound.next("a pong", within: bounds) { message -> Void? in
                    if case .pong(let answer) = message, answer.asked == 77 { () } else { nil }
                }
                for laptop in assailed.pair {
                    // Their agents have the connections that they made first.
                    let lines = text(of: laptop.agentLog).split(separator: "\n")
                    #expect(lines.count { $0.hasSuffix(" connected") } == 1, "\(laptop.name)")
                    #expect(try laptop.isOnline)
                }
            }
        }

        /// What no server can read as a message, or as one that a member may send now.
        private func hostileBytes(_ kind: Int, _ random: inout SeededGenerator) -> [UInt8] {
            switch kind {
            case 0: [0, 0, 0, 0]
            case 1: [255, 255, 255, 255, MessageType.upload.rawValue]
            // Of each type what isn't its body; of an unknown one anything.
            case 2: [0, 0, 0, 3, MessageType.upload.rawValue, 1, 2]
            case 3: [0, 0, 4, 1, 0xEE] + random.bytes(1_024)
            // What only the server says.
            case 4: Message.presence([]).encoded()
            default: Message.hello(Hello(versions: [.one], purpose: .sync, sent: 0, program: "")).encoded()
            }
        }
    }
}
