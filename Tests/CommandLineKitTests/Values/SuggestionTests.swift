import Testing

@testable import CommandLineKit

@Suite("Suggestions")
struct SuggestionTests {
    @Test("all of the nearest are named, and nothing that is far")
    func nearest() {
        #expect(
            Suggestion.nearest(to: "stat", among: ["stop", "start", "stats", "log"]) == ["start", "stats"])
        #expect(Suggestion.nearest(to: "dev", among: ["log", "devices"]) == ["devices"])
        #expect(Suggestion.nearest(to: "STARTWORK", among: ["startWork", "stop"]) == ["startWork"])
        #expect(Suggestion.nearest(to: "xyz", among: ["start", "stop"]) == [])
        #expect(Suggestion.nearest(to: "", among: ["start"]) == [])
        #expect(
            Suggestion.sentence(for: "stat", among: ["start", "stats"]) == " Did you mean 'start' or 'stats'?"
        )
    }
}
