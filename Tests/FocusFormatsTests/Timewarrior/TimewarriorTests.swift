import FocusCore
import FocusFormats
import FocusText
import Testing

@Suite("Timewarrior's intervals")
struct TimewarriorTests {
    @Test("they are written as timew exports them, the last one's id being 1")
    func written() {
        let entries = [
            HistoryEntry.work("2025-11-20T18:00:00Z", "2025-11-20T18:25:00Z", "say \"so\""),
            HistoryEntry.work("2025-11-20T19:00:00Z", "2025-11-20T19:00:00.999Z"),
            HistoryEntry.work("2025-11-20T19:00:00Z", "2025-11-20T19:25:00Z"),
        ]
        #expect(
            FocusFormatsTests.written(entries, .timewarrior) == """
                [
                {"id":2,"start":"20251120T180000Z","end":"20251120T182500Z","tags":["say \\"so\\""]},
                {"id":1,"start":"20251120T190000Z","end":"20251120T192500Z"}
                ]

                """)
    }

    @Test("a label's tags are Timewarrior's tags too, and the label comes back as it was")
    func labelTags() throws {
        let entry = HistoryEntry.work("2025-11-20T18:00:00Z", "2025-11-20T18:25:00Z", "Early #deep +office")
        #expect(
            FocusFormatsTests.written([entry], .timewarrior)
                .contains(#""tags":["Early #deep +office","deep","office"]"#))
        let file = """
            [{"start":"20251120T180000Z","end":"20251120T182500Z","tags":["Early #deep","deep"]}]
            """
        #expect(try entries(file, .timewarrior).map(\.label) == ["Early #deep"])
    }

    @Test("tags and annotation are the label; members that nobody knows are passed over")
    func labels() throws {
        let text = """
            [
            {"id":3,"start":"20251120T180000Z","end":"20251120T182500Z","tags":["a","b"],"annotation":"c: d"},
            {"start":"20251120T180000Z","end":"20251120T182500Z","annotation":"alone","x":[{"y":"]}"}]},
            {"start":"20251120T180000Z","end":"20251120T182500Z","tags":null} ,
            ]
            """
        #expect(try entries(text, .timewarrior).map(\.label) == ["a, b: c: d", "alone", ""])
    }

    @Test("an interval that is open, empty or too long is left out")
    func leftOut() throws {
        let text = """
            [{"start":"20251120T180000Z"},
            {"start":"20251120T180000Z","end":"20251120T180000Z"},
            {"start":"20251120T180000Z","end":"20251122T180000Z"}]
            """
        #expect(try omissions(text, .timewarrior) == ["running 1", "noLength 2", "tooLong 3"])
    }

    @Test(
        "what is wrong is named by its line",
        arguments: [
            ("{}", "line 1: a list of intervals begins with '['"),
            ("[\n{\"start\":\"20251120T180000Z\"}", "line 2: the file ends within its list"),
            ("[\"]", "line 1: the interval is not JSON: the text ends too early (column 3)"),
            ("[\n{\"a\":1\n\n", "line 2: the interval is not JSON: the text ends too early (column 9)"),
            ("[]\n[]", "line 2: there is more after the list"),
            ("[1]", "line 1: the interval is no JSON object"),
            ("[\n{\"end\":\"20251120T180000Z\"}]", "line 2: the interval has no \"start\""),
            (
                "[{\"start\":\"2025-11-20\"}]",
                "line 1: \"start\" is '2025-11-20', and not a time as in 20251120T180000Z"
            ),
            ("[{\"start\":1}]", "line 1: \"start\" is no text"),
            ("[{\"start\":\"20251120T180000Z\",\"tags\":\"a\"}]", "line 1: \"tags\" is no list"),
            ("[{\"start\":\"20251120T180000Z\",\"tags\":[1]}]", "line 1: a tag is no text"),
            ("[{\"start\":}]", "line 1: the interval is not JSON: unexpected character (column 10)"),
            (
                "[{\"start\":\"20251120T190000Z\",\"end\":\"20251120T180000Z\"}]",
                "line 1: it ends before it begins"
            ),
        ])
    func problems(text: String, expected: String) { #expect(problem(text, .timewarrior) == expected) }
}
