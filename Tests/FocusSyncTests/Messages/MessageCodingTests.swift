import FocusCore
import FocusSync
import TestSupport
import Testing

@Suite("Messages as bytes")
struct MessageCodingTests {
    @Test("every message has the bytes that the protocol's page says")
    func goldens() throws {
        let lines = try messageSamples().map { name, message in
            let hex = message.encoded().map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }
            return "\(name): \(hex.joined())\n"
        }
        #expect(Golden.difference(lines.joined(), "messages.txt") == nil)
    }

    @Test("every message comes out as it went in, and every kind is tried")
    func roundTrip() throws {
        let samples = try messageSamples()
        for (_, sample) in samples { #expect(try message(sample.encoded()) == [sample]) }
        #expect(Set(samples.map(\.message.type)) == Set(MessageType.allCases))
    }

    @Test("a message that is cut short anywhere, or goes on, is refused")
    func cutShort() throws {
        for (name, sample) in try messageSamples() {
            let body = Array(sample.encoded().dropFirst(5))
            for length in body.indices {
                let frame = Frame(type: sample.type.rawValue, body: Array(body[..<length]))
                // If the frame is cut between two packed events, only their count shows it.
                #expect(throws: WireError.self, "\(name) of \(length) bytes") { try Message(frame) }
            }
            #expect(throws: WireError.self, "\(name), and more") {
                try Message(Frame(type: sample.type.rawValue, body: body + [0]))
            }
        }
    }

    @Test("bytes at random, and messages with a byte changed, never crash the decoder")
    func noise() throws {
        let seed: UInt64 = 0x5EED
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let samples = try messageSamples().map(\.message)
        var understood = 0
        for _ in 0..<40_000 {
            let sample = samples[Int.random(in: 0..<samples.count, using: &random)]
            var body = Array(sample.encoded().dropFirst(5))
            if Bool.random(using: &random) || body.isEmpty {
                body = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            } else {
                body[Int.random(in: 0..<body.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            guard let read = try? Message(Frame(type: sample.type.rawValue, body: body)) else { continue }
            // A message that can be decoded has only one encoding, unless a text was shortened.
            #expect(Array(read.encoded().dropFirst(5)) == body)
            understood += 1
        }
        #expect(understood > 1_000)
    }

    @Test("a type that this version doesn't know is refused")
    func unknownType() {
        #expect(throws: WireError.unknownType(0xFF)) { try Message(Frame(type: 0xFF, body: [])) }
    }

    @Test("numbers are refused where they aren't in their shortest form, or too great to count on from")
    func numbers() {
        let replica: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
        let type = MessageType.want
        func want(_ seq: [UInt8]) throws -> Message {
            try Message(Frame(type: type.rawValue, body: replica + seq))
        }
        #expect(throws: WireError.malformed(type, .malformedVarint)) { try want([0x80, 0x00]) }
        #expect(throws: WireError.malformed(type, .invalidValue)) {
            try want([UInt8](repeating: 0xFF, count: 9) + [0x01])
        }
        #expect(throws: WireError.malformed(type, .malformedVarint)) {
            try want([UInt8](repeating: 0xFF, count: 9) + [0x02])
        }
    }

    @Test("a count that the bytes can't hold allocates nothing")
    func counts() {
        let body: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 64]
        #expect(throws: WireError.malformed(.chains, .truncated)) {
            try Message(Frame(type: MessageType.chains.rawValue, body: body))
        }
        #expect(throws: WireError.malformed(.chains, .invalidValue)) {
            try Message(Frame(type: MessageType.chains.rawValue, body: body.dropLast() + [65]))
        }
    }

    @Test("an invite whose wrapped key is empty is refused: who joined with it would have no key")
    func emptyBundle() throws {
        let request = InviteRequest(tokenHash: digest(1), bundle: [], lifetime: 900_000)
        #expect(throws: WireError.malformed(.createInvite, .invalidValue)) {
            try message(numbered(1, .createInvite(request)).encoded())
        }
    }

    @Test(
        "an epoch that is to follow another names it and has a body, or is refused; one that only is needn't")
    func successors() throws {
        let bare = EpochRecord(epoch: EpochID(rawValue: 9), predecessor: firstEpoch, body: [])
        let first = EpochRecord(epoch: EpochID(rawValue: 9), predecessor: nil, body: [8])
        for record in [bare, first] {
            #expect(throws: WireError.malformed(.successor, .invalidValue)) {
                try message(numbered(1, .successor(record, discounting: [])).encoded())
            }
            for kept in [Message.epoch(record), numbered(1, .epoch(record))] {
                #expect(try message(kept.encoded()) == [kept])
            }
        }
    }

    @Test("a roster of more than 64 entries is refused, and one of 64 isn't")
    func longRoster() {
        func roster(_ count: UInt8) throws -> Message {
            let entry = [UInt8](repeating: 0xD2, count: Digest.length) + [0]
            let entries = [UInt8](Array(repeating: entry, count: Int(count)).joined())
            return try Message(Frame(type: MessageType.roster.rawValue, body: [1, count] + entries))
        }
        #expect(Limits.rosterPiece == 64)
        #expect(throws: Never.self) { try roster(64) }
        #expect(throws: WireError.malformed(.roster, .invalidValue)) { try roster(65) }
    }

    @Test("a request's number may be any that a varint holds, and an answer has the same")
    func requestNumbers() throws {
        for number in [0, 1, 127, 128, .max] as [UInt64] {
            let messages: [Message] = [
                numbered(number, .revoke(digest(1))), .done(RequestNumber(number)),
                .refused(RequestNumber(number), Refusal(.quota, "")),
            ]
            #expect(try message([UInt8](messages.map { $0.encoded() }.joined())) == messages)
        }
    }

    @Test("a version vector names its replicas once, ascending")
    func vectorOrder() throws {
        let head: [UInt8] = [1] + [UInt8](repeating: 0, count: 16)
        let one: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1] + head
        let two: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 2] + head
        func have(_ entries: [UInt8]) throws -> Message {
            try Message(Frame(type: MessageType.have.rawValue, body: [2] + entries + [0]))
        }
        #expect(throws: Never.self) { try have(one + two) }
        #expect(throws: WireError.malformed(.have, .invalidValue)) { try have(two + one) }
        #expect(throws: WireError.malformed(.have, .invalidValue)) { try have(one + one) }
    }

    @Test("the fullest welcome fits into a frame")
    func fullWelcome() throws {
        let heads = (0..<UInt64(Limits.heads + 10)).map {
            (ReplicaID(rawValue: $0), Head(seq: 1 << 62, chain: .empty))
        }
        let device = digest(1)
        let welcome = Welcome(
            group: group, vector: VersionVector(Dictionary(uniqueKeysWithValues: heads)), latest: .zero,
            roster: Array(repeating: RosterEntry(device: device, isRevoked: false), count: Limits.devices),
            epochs: Array(repeating: firstEpoch, count: Limits.epochs),
            presence: Array(
                repeating: Presence(device: device, isConnected: true, lastSeen: 0), count: Limits.devices),
            nextServerKey: device,
            addresses: Array(repeating: String(repeating: "a", count: Limits.address), count: 10))
        guard case .welcome(let read) = try message(Message.welcome(welcome).encoded()).first else {
            Issue.record("no welcome")
            return
        }
        // Heads beyond the limit are left out. The replicas with the greatest numbers go first.
        #expect(read.vector.heads.count == Limits.heads)
        #expect(read.vector[ReplicaID(rawValue: 0)].seq == 1 << 62)
        #expect(read.addresses.count == Limits.addresses)
    }

    /// An encoded list of `count` addresses, each of `length` bytes.
    private static func list(_ count: UInt8, _ length: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.byte(count)
        for _ in 0..<count { writer.string(String(repeating: "a", count: length)) }
        return writer.bytes
    }

    @Test(
        "a welcome lists at most 8 addresses, of 1 to 255 bytes each",
        arguments: [
            (MessageCodingTests.list(1, 1), true), (MessageCodingTests.list(1, 0), false),
            (MessageCodingTests.list(9, 1), false), (MessageCodingTests.list(1, 256), false),
        ])
    func addresses(list: [UInt8], isRead: Bool) throws {
        let empty = Welcome(
            group: group, vector: VersionVector(), latest: .zero, roster: [], epochs: [], presence: [],
            nextServerKey: nil)
        // The encoding is a length, a type and the body, which ends with an empty list.
        let body = Array(Message.welcome(empty).encoded().dropFirst(5).dropLast())
        let read = try? Message(Frame(type: MessageType.welcome.rawValue, body: body + list))
        var expected = empty
        expected.addresses = ["a"]
        #expect(read == (isRead ? .welcome(expected) : nil))
    }
}
