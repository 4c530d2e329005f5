import Testing

@testable import CommandLineKit

@Suite("Suggestions")
struct SuggestionTests {
    @Test(
        "the distance counts insertions, deletions, replacements and swaps of neighbours",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("start", "start", 0), ("strat", "start", 1),
            ("stop", "sotp", 1), ("kitten", "sitting", 3), ("ca", "abc", 3), ("pause", "puase", 1),
        ])
    func distance(left: String, right: String, expected: Int) {
        #expect(Suggestion.editDistance(left, right) == expected)
        #expect(Suggestion.editDistance(right, left) == expected)
    }

    @Test("all of the nearest are named, and nothing that is far")
    func nearest() {
        #expect(
            Suggestion.nearest(to: "stat", among: ["stop", "start", "stats", "log"]) == ["start", "stats"])
        #expect(Suggestion.nearest(to: "dev", among: ["log", "devices"]) == ["devices"])
        #expect(Suggestion.nearest(to: "xyz", among: ["start", "stop"]) == [])
        #expect(Suggestion.nearest(to: "", among: ["start"]) == [])
        #expect(
            Suggestion.sentence(for: "stat", among: ["start", "stats"]) == " Did you mean 'start' or 'stats'?"
        )
    }
}
