import FocusText

/// A test case from standard input. It begins with a line of words: its kind, its name, and the length of
/// each part in bytes. The parts follow.
struct TestCase {
    let kind: String
    let name: String
    let parts: [[UInt8]]

    /// Removes the first test case from `input`. Fails if there is no whole one.
    init?(from input: inout ArraySlice<UInt8>) {
        guard let end = input.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = String(decoding: input[..<end], as: UTF8.self).split(separator: " ")
        guard words.count >= 3 else { return nil }
        kind = String(words[0])
        name = String(words[1])
        var rest = input[(end + 1)...]
        var parts: [[UInt8]] = []
        for word in words[2...] {
            guard let length = Int(word), length >= 0, length <= rest.count else { return nil }
            parts.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        self.parts = parts
        input = rest
    }

    /// The reason why the test case fails; nil if it passes.
    var failure: String? {
        switch (kind, parts.count) {
        case ("fixture", 3): Fixture(parts).hasExpectedState ? nil : "another state"
        case ("log", 2): logFailure
        case ("session", 1): sessionFailure
        default: "no such kind of test case"
        }
    }

    /// The log of the first part must mean the second part.
    private var logFailure: String? {
        guard let lines = try? LogText.parse(parts[0]) else { return "not the text of a log" }
        guard let outcome = ReplayOutcome.bytes(of: lines.map { $0.event }) else { return "no log" }
        guard outcome != parts[1] else { return nil }
        let equal = zip(outcome, parts[1]).prefix { $0 == $1 }.count
        return "state and journal differ from byte \(equal) of \(parts[1].count)"
    }

    /// Today's devices must send the recorded frames.
    private var sessionFailure: String? {
        do throws(RecordedFailure) {
            let session = try RecordedSession(String(decoding: parts[0], as: UTF8.self))
            guard let difference = try session.clientDifferences().first else { return nil }
            func digits(_ frame: [UInt8]?) -> String { frame.map(RecordedSession.digits) ?? "nothing" }
            return "step \(difference.step) sends \(digits(difference.said)), "
                + "not \(digits(difference.recorded))"
        } catch {
            return "it can't be played"
        }
    }
}
