import FocusCore
import TestSupport
import Testing

@Suite("Tags in labels")
struct LabelTagTests {
    @Test(
        "a word that begins with # or + is a tag, without what ends a sentence",
        arguments: [
            ("", []), ("Write the report", []), ("Report #deep", ["#deep"]), ("+work Report", ["+work"]),
            ("#a #b +a #a", ["#a", "#b", "+a"]), ("Read (#paper), then #write!", ["#write"]),
            ("#one, #two; #three.", ["#one", "#two", "#three"]), ("C++ and F#", []), ("# + ## ++ #+x", []),
            ("a#b", []), ("#\u{e9}tude\u{3000}+\u{65e5}\u{672c}", ["#\u{e9}tude", "+\u{65e5}\u{672c}"]),
            ("#...", []),
            ("#1", ["#1"]),
        ])
    func tags(label: String, tags: [String]) {
        #expect(LabelTag.tags(of: label).map(\.text) == tags)
    }

    @Test("a tag is meant with its sign, or without by both signs")
    func meant() {
        let labels = ["Report #deep", "Mail +deep", "Deep work", "#deeper"]
        let meant = { (word: String) in labels.filter { WorkChoice.tag(word).includes($0) } }
        #expect(meant("deep") == ["Report #deep", "Mail +deep"])
        #expect(meant("#deep") == ["Report #deep"])
        #expect(meant("+deep") == ["Mail +deep"])
        #expect(meant("") == [])
        #expect(labels.filter { WorkChoice.label("#deeper").includes($0) } == ["#deeper"])
        #expect(labels.filter { WorkChoice.all.includes($0) } == labels)
    }

    @Test("only a word that names some tag can be meant")
    func meaningful() {
        for word in ["deep", "#deep", "+1", "C++"] { #expect(LabelTag.canBeMeant(by: word), "\(word)") }
        for word in ["", "#", "+", "a b", "deep.", "##"] {
            #expect(!LabelTag.canBeMeant(by: word), "\(word)")
        }
    }

    @Test("what was done under labels with a tag is counted for it, at once only once")
    func counted() throws {
        var history = FactHistory()
        history.add(.november(20), 0, 25, "Report #deep")
        history.add(.november(20), 10, 25, "Mail #deep +office")
        history.add(.november(20), 60, 25, "Talk +office", outcome: "stopped")
        history.add(.november(20), 90, 25, "Walk", activity: "longBreak")
        history.add(.november(20), 120, 5)
        let statistics = try history.statistics()
        #expect(
            statistics.tags.map(\.tag.text) == ["+office", "#deep"])
        #expect(
            statistics.tags.map(\.total) == [
                FocusTotal(focus: minutes(50), completed: 1), FocusTotal(focus: minutes(35), completed: 1),
            ])
        let deep = Statistics(try history.records(), .fixed(), of: .tag("deep"))
        #expect(deep.days.map(\.total) == [FocusTotal(focus: minutes(35), completed: 1)])
        #expect(deep.labels.count == 2)
    }
}
