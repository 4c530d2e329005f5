import FocusText
import Testing

@Suite("JSON")
struct JSONTests {
    private func parsed(_ text: String) -> JSON? { try? JSON(parsing: text.utf8) }

    @Test("a number stays as it was written, and a name comes once in an object")
    func exact() {
        #expect(parsed("1") != parsed("1.0"))
        #expect(parsed("12345678901234567890.5e-3") == .number("12345678901234567890.5e-3"))
        #expect(parsed(#"{"a":1,"b":{"a":2}}"#)?["b"]?["a"]?.number == 2)
        #expect(parsed(#"{"a":1,"a":1}"#) == nil)
        #expect(parsed(#"{"a":1,"\u0061":1}"#) == nil)
    }

    @Test(
        "what isn't JSON is none",
        arguments: [
            "", " ", "01", "+1", "1.", ".5", "1e", "NaN", "tru", "[1,]", "[1", "{\"a\":}", "{a:1}",
            "\"\u{1}\"",
            #""\x""#, #""\ud800""#, "'a'", "1 2", "[] //",
        ])
    func malformed(text: String) {
        #expect(parsed(text) == nil)
    }

    @Test("what is written is read as it was, with all that has to be escaped")
    func roundTrip() {
        let value = JSON.object([
            JSON.Member(
                "a \"b\"\\\n\u{1}\u{7F}é🍅", .array([.null, .bool(true), .number("-0.10"), .string("")])),
            JSON.Member("", .object([])),
        ])
        #expect(parsed("\(value)") == value)
        #expect(parsed(#""\ud83c\udf45\u00e9\/""#) == .string("🍅é/"))
    }
}
