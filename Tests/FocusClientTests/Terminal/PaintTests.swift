import FocusClient
import FocusCore
import Testing

@Suite("Colour")
struct PaintTests {
    @Test("only on a terminal that has colours, and never with a non-empty NO_COLOR")
    func conditions() {
        let xterm = ["TERM": "xterm"]
        func paint(_ more: [String: String], isTerminal: Bool = true) -> Paint {
            .forOutput(isTerminal: isTerminal, Environment(xterm.merging(more) { $1 }))
        }
        #expect(paint([:]) == .eight)
        #expect(paint(["NO_COLOR": ""]) == .eight)
        #expect(paint(["NO_COLOR": "0"]) == .plain)
        #expect(paint(["TERM": "dumb"]) == .plain)
        #expect(paint(["TERM": "vt100"]) == .plain)
        #expect(paint(["TERM": ""]) == .plain)
        #expect(paint([:], isTerminal: false) == .plain)
    }

    @Test(
        "a terminal is given the colours that it says it has, and no more",
        arguments: [
            ("linux", nil, Paint.eight), ("xterm", nil, .eight), ("xterm-256color", nil, .palette),
            ("tmux-256color", "truecolor", .exact), ("xterm", "24bit", .exact), ("xterm", "yes", .eight),
            ("xterm-direct", nil, .exact), ("dumb", "truecolor", .plain),
        ] as [(String, String?, Paint)])
    func amount(type: String, more: String?, expected: Paint) {
        let environment = Environment(["TERM": type, "COLORTERM": more ?? ""])
        #expect(Paint.forOutput(isTerminal: true, environment) == expected)
    }

    @Test("work is red and a break green, as near as the terminal comes to it")
    func codes() {
        #expect(Paint.plain.coloured("x", .work) == "x")
        #expect(Paint.eight.coloured("x", .work) == "\u{1B}[31mx\u{1B}[0m")
        #expect(Paint.eight.coloured("x", .rest) == "\u{1B}[32mx\u{1B}[0m")
        #expect(Paint.palette.coloured("x", .work) == "\u{1B}[38;5;168mx\u{1B}[0m")
        #expect(Paint.exact.coloured("x", .rest) == "\u{1B}[38;2;82;165;123mx\u{1B}[0m")
    }
}
