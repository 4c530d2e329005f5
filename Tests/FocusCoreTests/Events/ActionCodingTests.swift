import FocusCore
import TestSupport
import Testing

/// docs/protocol.md, "Actions".
@Suite("The plain encoding of actions")
struct ActionCodingTests {
    /// An action of each kind, with its bytes.
    static let golden: [(Action, String)] = [
        (.start(.init()), "0100"),
        (
            .start(.init(label: "Wé", after: run, offline: true, at: -1)),
            "010f 03 57c3a9 0000000000010002 000000000000000b 01"
        ),
        (
            .start(.init(length: 3000, begins: 64, rest: true)), "0170 f02e 8001"
        ),
        (.pause(run, at: nil), "0200 0000000000010002 000000000000000b"),
        (.resume(run, at: 1), "0301 0000000000010002 000000000000000b 02"),
        (.stop(run, at: 64), "0401 0000000000010002 000000000000000b 8001"),
        (.skip(run, ordinal: 3, at: nil), "0500 0000000000010002 000000000000000b 06"),
        (.adjust(run, ordinal: 3, seconds: -60, at: 0), "0601 0000000000010002 000000000000000b 00 06 77"),
        (.label(run, text: "Hi", at: nil), "0700 0000000000010002 000000000000000b 02 4869"),
        (.adopt(run), "08 0000000000010002 000000000000000b"),
        (.set(key: "k", value: -2), "09 01 6b 03"),
        (.device(name: "d", key: nil), "0a00 01 64"),
        (.device(name: "d", key: "f"), "0a01 01 64 01 66"),
        (.device(name: "d", key: "f", publicKey: [4, 5]), "0a03 01 64 01 66 02 0405"),
        (
            .record(
                .init(activity: "a", startedAt: 1, endedAt: 2, outcome: "o", label: "", source: "s")),
            "0b 01 61 02 04 01 6f 00 01 73"
        ),
        (.amend(.init(run: run, ordinal: 1)), "0c00 0000000000010002 000000000000000b 02"),
        (
            .amend(.init(run: run, ordinal: 1, label: "", removed: true)),
            "0c07 0000000000010002 000000000000000b 02 00"
        ),
        (
            .amend(.init(run: run, ordinal: 1, removed: false)),
            "0c02 0000000000010002 000000000000000b 02"
        ),
        (.undo(EventID(replica: .b, seq: 300)), "0d 000000000000000b ac02"),
        (.revoke(Digest(InlineArray(repeating: 7))), "0e " + String(repeating: "07", count: 32)),
        (.readmit(Digest(InlineArray(repeating: 8))), "0f " + String(repeating: "08", count: 32)),
        (
            .retime(.init(run: run, ordinal: 1, startedAt: 3, endedAt: 4, shift: -1)),
            "10 0000000000010002 000000000000000b 02 06 08 01"
        ),
        (.split(.init(run: run, ordinal: 1, instant: 3)), "1100 0000000000010002 000000000000000b 02 06"),
        (
            .split(.init(run: run, ordinal: 1, instant: 3, label: "Hi")),
            "1101 0000000000010002 000000000000000b 02 06 02 4869"
        ),
        (.complete(run, ordinal: 3, at: nil), "1200 0000000000010002 000000000000000b 06"),
        (.rest(run, ordinal: 0, at: 1), "1301 0000000000010002 000000000000000b 02 00"),
        (
            .profile(
                name: "d",
                PhaseLengths(work: 1500, shortBreak: 300, longBreak: -1, longBreakFrequency: 4)),
            "1400 01 64 b817 d804 01 08"
        ),
        (.profile(name: "d", nil), "1401 01 64"),
        (.unknown(.named("dance", fields: "{}")), "00 05 64616e6365 02 7b7d"),
        (.unknown(.encoded([0xC8, 1])), "c801"),
    ]

    private static let run = RunID(stamp: Stamp(rawValue: 0x1_0002), replica: .b)

    @Test("each kind has the bytes that the protocol says", arguments: golden)
    func goldenBytes(action: Action, hexadecimal: String) {
        let bytes = ActionCodingTests.bytes(hexadecimal)
        #expect(action.encoded() == bytes)
        #expect(Action(encoded: bytes) == action)
    }

    @Test("texts come back scalar for scalar, not as what Unicode holds equivalent")
    func normalForms() {
        for text in ["e\u{301}", "\u{E9}", "\u{0}\u{10FFFF}"] {
            guard case .set(let key, _) = Action(encoded: Action.set(key: text, value: 0).encoded()) else {
                Issue.record("no set")
                continue
            }
            #expect(Array(key.unicodeScalars) == Array(text.unicodeScalars))
        }
    }

    @Test(
        "an encoding that is cut short or goes on is an unknown action that keeps the bytes",
        arguments: golden)
    func truncated(action: Action, hexadecimal: String) {
        let bytes = ActionCodingTests.bytes(hexadecimal)
        guard bytes != [0xC8, 1] else { return }
        for count in 0..<bytes.count { expectUnknown(Array(bytes[..<count])) }
        expectUnknown(bytes + [0])
    }

    @Test(
        "what isn't an action's one encoding is unknown, and keeps its bytes",
        arguments: [
            // Unknown kinds, flags and booleans.
            "0e", "ff", "0180", "0202 0000000000010002 000000000000000b", "0a02 01 64",
            "0c04 0000000000010002 000000000000000b 02", "0c08 0000000000010002 000000000000000b 02",
            // Varints in a longer form than necessary, or of more than 64 bits.
            "09 01 6b 8300", "09 01 6b ffffffffffffffffff02", "09 01 6b 8080808080808080808001",
            // Bytes that aren't UTF-8, and wrong lengths.
            "09 01 ff 03", "09 02 c080 03", "09 03 eda080 03", "09 ff01 6b", "09 ffffffffffffffffff01 6b",
            // A known action, encoded as an action by name.
            "00 05 7374617274 02 7b7d",
        ])
    func malformed(hexadecimal: String) { expectUnknown(ActionCodingTests.bytes(hexadecimal)) }

    @Test(
        "an action by name is unknown whatever its fields are: doubled keys, no object, no JSON at all",
        arguments: ["{\"a\":1,\"a\":2}", "[]", "", "{"])
    func namedFields(fields: String) {
        let action = Action.unknown(.named("nap", fields: fields))
        #expect(Action(encoded: action.encoded()) == action)
    }

    @Test("whatever the bytes, decoding keeps them", arguments: UInt64(0)..<8)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            var bytes: [UInt8]
            if Bool.random(using: &random) {
                // A sample with one or two bytes changed: it gets further into the decoder than random bytes.
                let sample = try #require(ActionCodingTests.golden.randomElement(using: &random))
                bytes = sample.0.encoded()
                for _ in 0...Int.random(in: 0...1, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
            } else {
                bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    .random(in: 0...255, using: &random)
                }
                if let first = bytes.first { bytes[0] = first % 16 }
            }
            let action = Action(encoded: bytes)
            #expect(action.encoded() == bytes, "seed \(seed): \(bytes)")
        }
    }

    private func expectUnknown(_ bytes: [UInt8]) {
        #expect(Action(encoded: bytes) == .unknown(.encoded(bytes)))
        #expect(Action(encoded: bytes).encoded() == bytes)
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.filter { $0 != " " })
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0..<$0 + 2]), radix: 16)
        }
    }
}
