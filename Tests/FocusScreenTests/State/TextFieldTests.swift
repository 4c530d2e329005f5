import CursesKit
import FocusClient
import FocusScreen
import Testing

@Suite("A line that is typed")
struct TextFieldTests {
    /// Returns the text after these keys, with a bar at the cursor.
    private func typed(_ text: String, _ keys: Key...) -> String {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        var field = TextField(parts.joined(), cursor: parts[0].count)
        for key in keys { field.press(key) }
        return "\(field.beforeCursor)|\(field.text.dropFirst(field.cursor))"
    }

    @Test("typed characters are inserted at the cursor")
    func typing() {
        #expect(typed("|", .character("a"), .character("b")) == "ab|")
        #expect(typed("a|c", .character("b")) == "ab|c")
        #expect(typed("ae|x", .character("\u{301}")) == "ae\u{301}|x")
        #expect(typed("a|", .character("日"), .character("🍅")) == "a日🍅|")
    }

    @Test("the cursor moves, and stays within the text")
    func moving() {
        #expect(typed("ab|c", .left, .left, .left) == "|abc")
        #expect(typed("ab|c", .right, .right) == "abc|")
        #expect(typed("ab|c", .home) == "|abc")
        #expect(typed("ab|c", .control("e")) == "abc|")
        #expect(TextField("abc", cursor: 99).cursor == 3)
        #expect(TextField("abc", cursor: -1).cursor == 0)
    }

    @Test("typing replaces an offered text, unless the cursor was moved before")
    func offered() {
        func typed(_ keys: Key...) -> String {
            var field = TextField(offering: "desk")
            for key in keys { field.press(key) }
            return field.text
        }
        #expect(typed(.character("a"), .character("b")) == "ab")
        #expect(typed(.pasted("a")) == "a")
        #expect(typed(.backspace) == "" && typed(.delete) == "" && typed(.control("w")) == "")
        #expect(typed(.end, .character("2")) == "desk2")
        #expect(typed(.left, .backspace) == "dek")
        #expect(TextField(offering: "desk").text == "desk")
    }

    @Test("keys delete a character, a word, or all text before or after the cursor")
    func deleting() {
        #expect(typed("e\u{301}|x", .backspace) == "|x")
        #expect(typed("|x", .backspace) == "|x")
        #expect(typed("a|bc", .delete) == "a|c")
        #expect(typed("a|", .delete) == "a|")
        #expect(typed("one two  |three", .control("w")) == "one |three")
        #expect(typed("one|", .control("w")) == "|")
        #expect(typed("|one", .control("w")) == "|one")
        #expect(typed("one |two", .control("u")) == "|two")
        #expect(typed("one |two", .control("k")) == "one |")
    }

    @Test("characters beyond the limit are ignored, and keys that type nothing change nothing")
    func limits() {
        var field = TextField(String(repeating: "x", count: 200))
        field.press(.character("y"))
        #expect(field.text.count == 200)
        #expect(typed("a|b", .up, .other, .tab) == "a|b")
    }
}
