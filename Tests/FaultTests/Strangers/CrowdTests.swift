import FocusCore
import FocusSeal
import FocusSync
import IntegrationSupport
import TestSupport
import Testing

extension FaultTests {
    @Suite("Strangers at the server")
    struct CrowdTests {
        /// The beginning of a handshake: a record of 512 bytes that contains a client hello of 508 bytes (RFC
        /// 8446 §4, §5.1).
        private static let hello: [UInt8] =
            [22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3] + [UInt8](repeating: 7, count: 400)

        @Test("400 connections that never finish their handshake hold nobody up")
        func handshakes() throws {
            try World.with(["work", "home"]) { world in
                try world.laptops[0].press("start", "Work")
                let silent = try Crowd(200, at: world.server, sending: .nothing)
                let slow = try Crowd(
                    200, at: world.server, sending: .slowly(CrowdTests.hello, every: .seconds(1)))
                try expectBusinessAsUsual(world, "Beside a crowd")
                try eventually("the slow ones have said something") { slow.sent >= 2 }
                try expectBusinessAsUsual(world, "Beside a crowd, later")
                try world.join("late")
                silent.leave()
                slow.leave()
                try expectEverything(world)
            }
        }

        @Test("garbage, and frames that are too long, cut off or malformed, harm nobody", arguments: [9])
        func garbage(seed: UInt64) throws {
            print("garbage: seed \(seed)")
            var random = SeededGenerator(seed: seed)
            try World.with(["work", "home"]) { world in
                try world.laptops[0].press("start", "Work")
                let plain = (0..<64).map { _ in random.bytes(Int.random(in: 1...2_000, using: &random)) }
                let crowd = try Crowd(64, at: world.server, sending: .atOnce(plain))

                // After a handshake: by a stranger, and by a member of another group after its welcome.
                let other = world.laptop("other")
                try other.join(try world.server.invite())
                let member = try other.identity()
                var clients: [TestClient] = []
                for kind in 0..<4 {
                    for isMember in [false, true] {
                        for _ in 0..<3 {
                            let bad = badFrames(kind, &random)
                            let first = isMember ? Message.syncHello.encoded() : []
                            clients.append(
                                try TestClient(
                                    isMember ? member : DeviceIdentity.generate(), to: world.server,
                                    sending: first + bad))
                        }
                    }
                }
                try expectBusinessAsUsual(world, "Beside garbage")
                // The server waits for the rest of an unfinished frame; everything else ends the connection.
                try eventually("all but the unfinished were cut off") {
                    clients.indices.allSatisfy { $0 / 6 == 3 || clients[$0].peer.isClosed }
                }
                try eventually("all got as far as TLS") { clients.allSatisfy(\.peer.hasOpened) }
                crowd.leave()
                try expectEverything(world)
                try other.press("sync")
                withExtendedLifetime(clients) {}
            }
        }

        /// Frames that no client would send.
        private func badFrames(_ kind: Int, _ random: inout SeededGenerator) -> [UInt8] {
            func length(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }
            switch kind {
            case 0:
                return length(UInt32.random(in: (1 << 20) + 1 ... .max, using: &random)) + random.bytes(9_000)
            case 1: return length(0)
            // Any type, known or unknown, with a random body.
            case 2: return length(2_000) + [UInt8.random(in: 0...255, using: &random)] + random.bytes(1_999)
            default: return length(3_000) + random.bytes(Int.random(in: 0..<2_999, using: &random))
            }
        }

        /// Expects that a press on each of two laptops reaches the other.
        private func expectBusinessAsUsual(_ world: World, _ when: String) throws {
            let (work, home) = (world.laptops[0], world.laptops[1])
            try world.expectPromptPresses(from: work, to: home, when)
            try world.expectPromptPresses(from: home, to: work, "\(when), back")
        }

        /// Expects that all laptops in the first laptop's group agree and have all presses.
        private func expectEverything(_ world: World) throws {
            let group = try world.laptops[0].status().group
            let log = try world.agree(world.laptops.filter { try $0.status().group == group })
            let pressed = log.count { $0.contains("Beside") }
            #expect(pressed % 6 == 0 && pressed > 0)
        }
    }
}

extension SeededGenerator {
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}

extension Message {
    /// The first message of a client that wants to sync.
    static let syncHello = Message.hello(
        Hello(versions: ProtocolVersion.spoken, purpose: .sync, sent: 0, program: "a test"))
}
