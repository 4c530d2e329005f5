import CommandLineKit
import TestSupport
import Testing

@Suite("Help")
struct HelpTests {
    @Test(
        "a command's help is the recorded page",
        arguments: [
            ("sample", ["--help"]), ("start", ["start", "--help"]), ("status", ["status", "--help"]),
            ("listen", ["listen", "--help"]), ("devices", ["devices", "--help"]),
            ("group", ["group", "--help"]), ("read", ["read", "--help"]),
        ])
    func pages(name: String, words: [String]) throws {
        guard case .show(let text) = try sample.parse(words) else {
            Issue.record("'\(words)' is not a request for help")
            return
        }
        #expect(Golden.difference(text, "\(name).txt") == nil)
    }

    @Test(
        "no line is longer than the terminal is wide, or than 80 columns, or ends in a space",
        arguments: [nil, 120, 60, 40])
    func width(columns: Int?) throws {
        for words in [["--help"], ["status", "--help"], ["listen", "--help"]] {
            guard case .show(let text) = try sample.parse(words, columns: columns) else {
                Issue.record("'\(words)' is not a request for help")
                return
            }
            for line in text.split(separator: "\n") {
                #expect(line.count <= min(80, columns ?? 80))
                #expect(!line.hasSuffix(" "))
            }
        }
    }
}
