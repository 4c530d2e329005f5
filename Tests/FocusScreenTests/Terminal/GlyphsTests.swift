import FocusClient
import FocusScreen
import SystemKit
import TestSupport
import Testing

@Suite("Signs for charts")
struct GlyphsTests {
    @Test(
        "block characters are used if the first set locale variable says UTF-8",
        arguments: [
            ([:], Glyphs.ascii), (["LANG": "C.UTF-8"], .unicode), (["LANG": "de_DE.utf8"], .unicode),
            (["LANG": "C"], .ascii), (["LANG": "en_US.UTF-8", "LC_CTYPE": "C"], .ascii),
            (["LANG": "C", "LC_CTYPE": "UTF-8"], .unicode),
            (["LC_ALL": "POSIX", "LC_CTYPE": "UTF-8", "LANG": "C.UTF-8"], .ascii),
            (["LC_ALL": "", "LANG": "C.UTF-8"], .unicode), (["LANG": "en_US.ISO-8859-1"], .ascii),
        ])
    func locale(variables: [String: String], expected: Glyphs) {
        #expect(Glyphs.forLocale(Environment(variables)) == expected)
    }

    @Test("a bar's length is proportional, and a part above zero is visible")
    func bars() {
        #expect(Glyphs.unicode.bar(1, of: 2, width: 8) == "████")
        #expect(Glyphs.unicode.bar(9, of: 16, width: 8) == "████▌")
        #expect(Glyphs.unicode.bar(1, of: 1000, width: 8) == "▏")
        #expect(Glyphs.unicode.bar(5, of: 5, width: 8) == "████████")
        #expect(Glyphs.ascii.bar(9, of: 16, width: 8) == "#####")
        #expect(Glyphs.ascii.bar(1, of: 1000, width: 8) == "#")
        for glyphs in [Glyphs.unicode, .ascii] {
            #expect(glyphs.bar(0, of: 5, width: 8) == "")
            #expect(glyphs.bar(1, of: 0, width: 8) == "")
            #expect(glyphs.bar(1, of: 1, width: 0) == "")
            #expect(glyphs.bar(.milliseconds(Int64.max), of: 1, width: 3).count == 3)
        }
    }
}
