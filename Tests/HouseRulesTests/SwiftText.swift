/// A Swift file's lines, taken apart: the code with its strings emptied, and the comments. So a rule about calls
/// doesn't stumble over a message, nor one about comments over code.
///
/// Knows line and block comments (nested ones too), and strings in quotes, three quotes and `#` quotes; what is
/// interpolated in a string counts as the string.
struct SwiftText {
    /// Each line's code; a string is left as its quotes.
    private(set) var code: [String] = [""]
    /// Each line's comment; empty where there is none.
    private(set) var comments: [String] = [""]
    /// The string literals, each with the line that it begins on, counted from 1, and as it is between its quotes.
    private(set) var strings: [(line: Int, text: String)] = []

    init(_ text: String) {
        var rest = Substring(text)
        while let next = rest.first {
            if rest.hasPrefix("//") {
                let comment = rest.prefix { $0 != "\n" }
                note(comment: comment)
                rest = rest.dropFirst(comment.count)
            } else if rest.hasPrefix("/*") {
                note(comment: SwiftText.takeBlockComment(from: &rest))
            } else if let string = SwiftText.takeString(from: &rest) {
                strings.append((code.count, SwiftText.content(string)))
                for character in string where character == "\n" { add(character) }
                code[code.count - 1] += "\"\""
            } else {
                add(next)
                rest = rest.dropFirst()
            }
        }
    }

    private mutating func add(_ character: Character) {
        if character == "\n" {
            code.append("")
            comments.append("")
        } else {
            code[code.count - 1].append(character)
        }
    }

    private mutating func note(comment: Substring) {
        for character in comment {
            if character == "\n" { add(character) } else { comments[comments.count - 1].append(character) }
        }
    }

    /// What stands between a literal's quotes.
    private static func content(_ literal: Substring) -> String {
        let isQuote = { (character: Character) in character == "#" || character == "\"" }
        let behind = literal.drop(while: isQuote)
        return String(behind.prefix(behind.count - behind.reversed().prefix(while: isQuote).count))
    }

    private static func takeBlockComment(from rest: inout Substring) -> Substring {
        let start = rest
        var depth = 0
        repeat {
            if rest.hasPrefix("/*") {
                depth += 1
                rest = rest.dropFirst(2)
            } else if rest.hasPrefix("*/") {
                depth -= 1
                rest = rest.dropFirst(2)
            } else {
                rest = rest.dropFirst()
            }
        } while depth > 0 && !rest.isEmpty
        return start[..<rest.startIndex]
    }

    /// Takes a string literal off the front of `rest`; nil where none begins there.
    private static func takeString(from rest: inout Substring) -> Substring? {
        let hashes = rest.prefix { $0 == "#" }
        let opening = rest.dropFirst(hashes.count)
        guard opening.hasPrefix("\"") else { return nil }
        let quotes = opening.hasPrefix("\"\"\"") ? "\"\"\"" : "\""
        let start = rest
        let escape = "\\" + hashes
        rest = opening.dropFirst(quotes.count)
        var depth = 0
        while let next = rest.first {
            if rest.hasPrefix(escape + "(") {
                depth += 1
                rest = rest.dropFirst(escape.count + 1)
            } else if depth > 0 {
                if next == "(" { depth += 1 }
                if next == ")" { depth -= 1 }
                if next != "\"" || takeString(from: &rest) == nil { rest = rest.dropFirst() }
            } else if rest.hasPrefix(escape) {
                rest = rest.dropFirst(escape.count + 1)
            } else if rest.hasPrefix(quotes + hashes) {
                rest = rest.dropFirst(quotes.count + hashes.count)
                break
            } else {
                rest = rest.dropFirst()
            }
        }
        return start[..<rest.startIndex]
    }
}
