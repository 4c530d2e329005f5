import FocusCore
import FocusSeal
import FocusSync
import Foundation
import TestSupport
import Testing

/// The frames that docs/protocol.md shows under "Test vectors", read from the page itself. They were made
/// with Python.
@Suite("The frames that the protocol's page shows")
struct PageVectorTests {
    private static let group = GroupID(high: 0xA0A1_A2A3_A4A5_A6A7, low: 0xA8A9_AAAB_ACAD_AEAF)
    private static let replica = ReplicaID(rawValue: 0x9F2C_6A1B_00D4_E7AA)
    private static let sent: SteadyInstant = 1_000_000
    private static let served: SharedReading = 1_763_661_600_000_000

    /// Returns the bytes of each frame by its heading. They are in the second column of the table below it.
    private static func frames() throws -> [String: [UInt8]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)
        var frames: [String: [UInt8]] = [:]
        for section in page.components(separatedBy: "\n#### ").dropFirst() {
            let lines = section.split(separator: "\n").prefix {
                !$0.hasPrefix("### ") && !$0.hasPrefix("## ")
            }
            let name = try #require(lines.first?.split(separator: "`").first)
            // The first two lines of the table are its header.
            frames[String(name)] = try lines.dropFirst(3).flatMap { line in
                let column = try #require(line.split(separator: " | ").dropFirst().first)
                return try #require(bytes(hexadecimal: column.filter { $0 != "`" }), "\(line)")
            }
        }
        return frames
    }

    /// Returns the messages that the frames encode.
    private static func messages() throws -> [String: Message] {
        let key = try EpochKey(SecretBytes(Array(0..<32)))
        let sealer = try Sealer(group: group, keys: [key])
        let start = Stamp(rawValue: 1_763_661_600_000 << 16)
        let pause = Stamp(rawValue: 1_763_661_900_000 << 16 | 3)
        let events = try [
            Event(replica: replica, seq: 1, stamp: start, action: .start(Action.Start(label: "Write"))),
            Event(
                replica: replica, seq: 2, stamp: pause,
                action: .pause(RunID(stamp: start, replica: replica), at: nil)),
        ].map { try sealer.seal($0, epoch: key.epoch) }
        var hasher = try ChainHasher(group: group)
        let first = try hasher.chain(after: .empty, events[0])
        let head = Head(seq: 2, chain: try hasher.chain(after: first, events[1]))
        let secret = try #require(InviteSecret(SecretBytes(Array(0x40..<0x50))))
        let device = try AgreementKey(number: SecretBytes(Array(repeating: 2, count: 32))).publicKey.hash()
        let other = try AgreementKey(number: SecretBytes(Array(repeating: 3, count: 32))).publicKey.hash()
        let clock = ClockAnswer(
            asked: sent, served: .init(received: served, sent: served + .microseconds(250)))
        return [
            "hello": .hello(
                Hello(
                    versions: [.one], purpose: .enrol, sent: sent,
                    program: "stranger 1")),
            "greeting": .greeting(
                Greeting(versions: [.one], chosen: .one, clock: clock, program: "focusd 0.1.0")),
            "enrol": .enrol(Enrol(token: try secret.token().bytes.exposed(), kind: .join)),
            "enrolled": .enrolled(
                Enrolled(group: group, bundle: try secret.wrap(GroupBundle(group: group, key: key)))),
            "welcome": .welcome(
                Welcome(
                    group: group, vector: VersionVector([replica: head]), latest: pause,
                    roster: [RosterEntry(device: device, isRevoked: false)], epochs: [],
                    presence: [Presence(device: device, isConnected: true, lastSeen: served.instant)],
                    nextServerKey: nil)),
            "have": .have(Have()),
            "push": .push(try #require(Segment(events, chainBefore: .empty))),
            "upload": .upload(try #require(Segment(events[1...], chainBefore: first))),
            "ack": .ack(Ack(replica: replica, head: head, stop: nil)),
            "create invite": numbered(
                1,
                .createInvite(
                    InviteRequest(
                        tokenHash: try secret.token().hash(),
                        bundle: try secret.wrap(GroupBundle(group: group, key: key)), lifetime: 900_000))),
            "done": .done(RequestNumber(1)),
            "revoke": numbered(300, .revoke(other)),
            "refused": .refused(
                RequestNumber(300), Refusal(.notAllowed, "the device is in another group")),
            "error": .error(Refusal(.rate, "too many connections", retry: .after(10_000))),
        ]
    }

    @Test("each frame has the bytes that the page shows, and says what the page says of it")
    func frames() throws {
        let frames = try PageVectorTests.frames()
        let messages = try PageVectorTests.messages()
        #expect(Set(frames.keys) == Set(messages.keys))
        for (name, expected) in messages {
            let frame = try #require(frames[name])
            #expect(expected.encoded() == frame, "\(name)")
            #expect(try message(frame) == [expected], "\(name)")
        }
    }
}
