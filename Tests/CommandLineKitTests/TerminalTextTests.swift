import CommandLineKit
import SystemKit
import Testing

@Suite("Text for terminals and logs")
struct TerminalTextTests {
    private static let garbling = [
        // C1 control characters. The third one begins a control sequence by itself, like ESC [.
        "\u{80}", "\u{85}", "\u{9B}", "\u{9F}",
        // Bidirectional embeddings, overrides and isolates, which affect the text around them too.
        "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}",
        // Line separators that a reader of a log doesn't expect.
        "\u{2028}", "\u{2029}",
        // A byte of a path that isn't UTF-8.
        SystemText.string([0xE9]),
    ]

    @Test("what would garble the text around it is replaced by one character that shows", arguments: garbling)
    func replaced(character: String) {
        #expect(TerminalText.data("a\(character)b") == "a\u{FFFD}b")
        #expect(TerminalText.message("a\(character)b") == "a\u{FFFD}b")
    }

    @Test(
        "text in any script stays as it is, joiners and marks included",
        arguments: [
            "", "Write", "Schreiben für Élodie", "שלום\u{200F}!", "👩\u{200D}💻", "日本語…", "a\tb\n", "e\u{301}",
        ])
    func others(text: String) {
        #expect(TerminalText.data(text).unicodeScalars.elementsEqual(text.unicodeScalars))
        #expect(TerminalText.message(text).unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(
        "control sequences belong to data, as colours, and to no message",
        arguments: ["\u{1B}", "\u{7}", "\r", "\u{7F}"])
    func controls(character: String) {
        #expect(TerminalText.data("a\(character)[0mb") == "a\(character)[0mb")
        #expect(TerminalText.message("a\(character)[0mb") == "a\u{FFFD}[0mb")
    }

    @Test("what is to stand within a line has no line ends") func line() {
        #expect(TerminalText.line("a\nb\tc\r\u{2028}\u{85}d") == "a b c\u{FFFD}\u{FFFD}\u{FFFD}d")
        #expect(TerminalText.line("Schreiben für Élodie") == "Schreiben für Élodie")
    }
}
