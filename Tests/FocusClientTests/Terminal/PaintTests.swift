import FocusClient
import Testing

@Suite("Colour")
struct PaintTests {
    @Test("only on a terminal, and never with a non-empty NO_COLOR")
    func conditions() {
        #expect(Paint.forOutput(isTerminal: true, Environment([:])) == .colour)
        #expect(Paint.forOutput(isTerminal: true, Environment(["NO_COLOR": ""])) == .colour)
        #expect(Paint.forOutput(isTerminal: true, Environment(["NO_COLOR": "0"])) == .plain)
        #expect(Paint.forOutput(isTerminal: true, Environment(["TERM": "dumb"])) == .plain)
        #expect(Paint.forOutput(isTerminal: false, Environment([:])) == .plain)
    }
}
