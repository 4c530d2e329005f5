import CommandLineKit
import FocusClient
import FocusCore
import FocusPage
import FocusSeal
import FocusServer
import FocusText

/// Fuzzes instants and durations: the text of each is parsed to the same value again.
func fuzzTimes(_ input: [UInt8]) throws {
    let text = String(decoding: input, as: UTF8.self)
    if let instant = InstantText.parse(text) { try holdRoundTrip(instant) }
    if let duration = DurationText.signedDuration(in: text) { try holdRoundTrip(duration) }
    var reader = ByteReader(input)
    guard let word: UInt64 = try? reader.fixed() else { return }
    try holdRoundTrip(SharedInstant(milliseconds: Int64(bitPattern: word)))
    try holdRoundTrip(.seconds(Int64(bitPattern: word)))
}

private func holdRoundTrip(_ instant: SharedInstant) throws {
    let text = InstantText.text(instant)
    // The years 0 to 9999, the range of RFC 3339.
    guard (-62_167_219_200_000..<253_402_300_800_000).contains(instant.milliseconds) else { return }
    try hold(InstantText.parse(text) == instant, "\(instant.milliseconds) is read as it was written: \(text)")
}

private func holdRoundTrip(_ duration: Duration) throws {
    let text = DurationText.text(duration)
    guard duration <= DurationText.limit, .zero - duration <= DurationText.limit else { return }
    try hold(
        DurationText.signedDuration(in: text) == duration,
        "\(duration.inSeconds) s is read as it was written: \(text)")
}

/// Fuzzes invites, as text and as bytes. The entry adds the correct checksum to the bytes, because fuzzers
/// wouldn't guess it.
func fuzzInvites(_ input: [UInt8]) throws {
    if let invite = try? Invite(String(decoding: input, as: UTF8.self)) { try holdRoundTrip(invite) }
    let text = try InviteText.checked(payload: input)
    if let invite = try? Invite(text) {
        try holdRoundTrip(invite)
        try hold(try invite.text() == text, "an invite has one text")
    }
}

private func holdRoundTrip(_ invite: Invite) throws {
    try hold(try Invite(invite.text()) == invite, "an invite is read as it was written")
}

/// Fuzzes the command lines of both programs. The first byte is the program, and zero bytes separate the
/// words. No command is carried out.
func fuzzCommands(_ input: [UInt8]) throws {
    guard let program = input.first else { return }
    let words = input.dropFirst().split(separator: 0, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    if program % 2 == 0 {
        try holdAnswer(FocusProgram.table, words)
    } else {
        try holdAnswer(FocusdProgram.table, words)
    }
}

/// Fuzzes the settings file of the server's operator.
func fuzzSettings(_ input: [UInt8]) throws {
    let file = SettingsFile(input)
    for problem in file.problems {
        let line = problem.split(separator: ":").first.flatMap { Int($0) }
        try hold(line != nil, "a problem names its line: \(problem)")
    }
    let lines = file.entries.sorted { $0.value.line < $1.value.line }.map { "\($0.key) = \($0.value.value)" }
    let again = SettingsFile(Array(lines.joined(separator: "\n").utf8))
    try hold(again.problems.isEmpty, "what was taken is taken again: \(again.problems)")
    try hold(
        again.entries.mapValues(\.value) == file.entries.mapValues(\.value), "it says the same, written anew")
}

private func holdAnswer<Invocation>(_ program: Program<Invocation>, _ words: [String]) throws {
    let request: Program<Invocation>.Request
    do throws(UsageError) {
        request = try program.parse(words)
    } catch {
        try hold(!error.message.isEmpty, "wrong usage is explained")
        return try hold(error.command.hasPrefix(program.root.name), "help is named: \(error.hint)")
    }
    if case .show(let text) = request { try hold(text.hasSuffix("\n"), "what is shown ends its line") }
}

/// An encoder of an invite's line, written after docs/protocol.md ("Invites"). It doesn't use the program's
/// own code, so that it finds mistakes in it.
enum InviteText {
    private static let prefix = "lockstep1-"
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Returns the line of this payload, with its checksum.
    static func checked(payload: [UInt8]) throws -> String {
        let checksum = try Digest(of: (Array(prefix.utf8) + payload).span.bytes).bytes.prefix(4)
        return prefix + base32(payload + checksum)
    }

    private static func base32(_ bytes: [UInt8]) -> String {
        let bits = bytes.flatMap { byte in (0..<8).reversed().map { byte >> UInt8($0) & 1 } }
        let digits = stride(from: 0, to: bits.count, by: 5).map { start -> UInt8 in
            let five = bits[start..<min(start + 5, bits.count)]
            let value = five.reduce(0) { $0 << 1 | $1 } << UInt8(5 - five.count)
            return alphabet[Int(value)]
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

/// Fuzzes the messages of a page, and the stored sessions of browsers: read sessions are the same after
/// writing and reading.
func fuzzPresses(_ input: [UInt8]) throws {
    try holdRefusal { () throws(PagePress.Malformed) in _ = try PagePress(parsing: input) }
    try holdRefusal { () throws(PagePress.Malformed) in _ = try DevicePress(parsing: input) }
    try holdRefusal { () throws(PagePress.Malformed) in _ = try JoinPress(parsing: input) }
    guard let json = try? JSON(parsing: input), let sessions = PageSessions(json) else { return }
    let again = (try? JSON(parsing: "\(sessions.json)".utf8)).flatMap { PageSessions($0) }
    try hold(again == sessions, "sessions are read as they were written")
}

private func holdRefusal(of reading: () throws(PagePress.Malformed) -> Void) throws {
    do throws(PagePress.Malformed) {
        try reading()
    } catch {
        let sentence = error.sentence(by: .utc)
        try hold(sentence.hasSuffix("."), "a refusal is a sentence: \(sentence)")
    }
}
