package import CursesKit

/// A line of text that a person is typing.
package struct TextField: Hashable, Sendable {
    /// The text so far.
    package private(set) var text: String
    /// The number of characters before the cursor.
    package private(set) var cursor: Int

    /// Whether the whole text is selected, so that typing replaces it.
    package private(set) var isSelected = false

    /// The largest number of Unicode scalars.
    private let limit: Int

    /// The usual limit: more than a label or a name can have (docs/timer-rules.md §4).
    package static let usualLimit = 200

    /// A field with a text, and the cursor at its end.
    package init(_ text: String = "", limit: Int = usualLimit) {
        self.init(text, cursor: text.count, limit: limit)
    }

    /// A field with a suggested text: typing replaces it, and moving the cursor keeps it for editing.
    package init(offering text: String) {
        self.init(text)
        isSelected = !text.isEmpty
    }

    /// A field with the cursor at this position, or at the nearest end of the text.
    package init(_ text: String, cursor: Int, limit: Int = usualLimit) {
        self.text = text
        self.limit = limit
        self.cursor = min(max(0, cursor), text.count)
    }

    /// The text before the cursor.
    package var beforeCursor: Substring { text.prefix(cursor) }

    /// Applies a key to the text.
    package mutating func press(_ key: Key) {
        let wasSelected = isSelected
        isSelected = false
        switch key {
        case .character, .pasted, .backspace, .delete, .control("h"), .control("d"), .control("w"):
            guard wasSelected else { break }
            self = TextField(limit: limit)
        default: break
        }
        switch key {
        case .character(let scalar), .pasted(let scalar): insert(scalar)
        case .backspace, .control("h"): delete(from: cursor - 1, to: cursor)
        case .delete, .control("d"): delete(from: cursor, to: cursor + 1)
        case .left, .control("b"): cursor = max(0, cursor - 1)
        case .right, .control("f"): cursor = min(text.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = text.count
        case .control("u"): delete(from: 0, to: cursor)
        case .control("k"): delete(from: cursor, to: text.count)
        case .control("w"): delete(from: startOfWord, to: cursor)
        default: break
        }
    }

    private mutating func insert(_ scalar: Unicode.Scalar) {
        guard text.unicodeScalars.count < limit else { return }
        let after = text.dropFirst(cursor)
        var before = String(beforeCursor)
        before.unicodeScalars.append(scalar)
        text = before + after
        // A combining character doesn't add a new character.
        cursor = min(before.count, text.count)
    }

    private mutating func delete(from: Int, to: Int) {
        let (from, to) = (max(0, from), min(to, text.count))
        guard from < to else { return }
        text = String(text.prefix(from) + text.dropFirst(to))
        cursor = min(from, text.count)
    }

    private var startOfWord: Int {
        let before = Array(beforeCursor)
        let end = before.lastIndex { $0 != " " } ?? -1
        return (before.prefix(end + 1).lastIndex { $0 == " " } ?? -1) + 1
    }
}
