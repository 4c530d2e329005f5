import SystemKit
import Testing

@Suite("What a terminal is called")
struct TerminalTypeTests {
    @Test(
        "the form with true colours is looked for first, where there are such colours",
        arguments: [
            (["TERM": "xterm-256color"], ["xterm-256color"]),
            (["TERM": "xterm-256color", "COLORTERM": "truecolor"], ["xterm-direct", "xterm-256color"]),
            (["TERM": "xterm", "COLORTERM": "24bit"], ["xterm-direct", "xterm"]),
            (["TERM": "xterm", "COLORTERM": "yes"], ["xterm"]),
            (["COLORTERM": "truecolor"], [""]), ([:], [""]),
        ] as [([String: String], [String])])
    func names(variables: [String: String], expected: [String]) {
        #expect(TerminalType.names(Environment(variables)) == expected)
    }
}
