import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "Text".
@Suite("Text")
struct TextTests {
    private func cleaned(_ text: String) throws -> [Unicode.Scalar] {
        var log = LogScript()
        log.start(0, label: text)
        return Array(try log.state(at: 0).label.unicodeScalars)
    }

    @Test(
        "labels lose control characters and white space at their ends",
        arguments: [
            ("", ""), ("a", "a"), ("  a b  ", "a b"), ("a\tb\nc", "abc"),
            ("\u{0}\u{1F}\u{7F}\u{85}\u{9F}", ""),
            ("\u{A0}\u{2003}\u{3000}a\u{1680}\u{2028}", "a"), (" \n ", ""), ("\u{200B}a", "\u{200B}a"),
            ("\u{FEFF}a", "\u{FEFF}a"), ("a\u{301}", "a\u{301}"), ("\n a\n ", "a"),
        ])
    func cleaning(text: String, expected: String) throws {
        #expect(try cleaned(text) == Array(expected.unicodeScalars))
    }

    @Test("labels are cut to 200 scalars after trimming, and not trimmed again")
    func cut() throws {
        let xs = String(repeating: "x", count: 199)
        #expect(try cleaned("  " + xs + "yz").count == 200)
        #expect(try cleaned(xs + " z") == Array((xs + " ").unicodeScalars))
        #expect(try cleaned(String(repeating: "e\u{301}", count: 150)).count == 200)
    }
}
