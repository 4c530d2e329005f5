/// The lines of a Swift file, split into code with emptied strings, and comments. So a rule about calls
/// doesn't match a message, and a rule about comments doesn't match code.
///
/// It knows line comments, nested block comments, and strings in quotes, three quotes and `#` quotes. An
/// interpolation counts as part of its string.
struct SwiftText {
    /// The code of each line; of a string only the quotes are left.
    private(set) var code: [String] = []
    /// The comment of each line; empty if there is none.
    private(set) var comments: [String] = []
    /// The string literals with the number of their first line, counted from 1, and the text between the
    /// quotes.
    private(set) var strings: [(line: Int, text: String)] = []

    init(_ text: String) {
        // Files are long, and bytes are many times as fast as characters.
        var rest = Array(text.utf8)[...]
        var lines = Lines()
        while let next = rest.first {
            if rest.starts(with: Bytes.comment) {
                let comment = rest.prefix { $0 != Bytes.newline }
                lines.add(comment: comment)
                rest = rest.dropFirst(comment.count)
            } else if rest.starts(with: Bytes.blockComment) {
                lines.add(comment: SwiftText.takeBlockComment(from: &rest))
            } else if let string = SwiftText.takeString(from: &rest) {
                strings.append((lines.code.count, SwiftText.content(string)))
                for byte in string where byte == Bytes.newline { lines.add(code: byte) }
                for _ in 0..<2 { lines.add(code: Bytes.quote) }
            } else {
                lines.add(code: next)
                rest = rest.dropFirst()
            }
        }
        code = lines.code.map { String(decoding: $0, as: UTF8.self) }
        comments = lines.comments.map { String(decoding: $0, as: UTF8.self) }
    }

    private enum Bytes {
        static let newline = UInt8(ascii: "\n")
        static let quote = UInt8(ascii: "\"")
        static let hash = UInt8(ascii: "#")
        static let backslash = UInt8(ascii: "\\")
        static let (open, close) = (UInt8(ascii: "("), UInt8(ascii: ")"))
        static let comment = Array("//".utf8)
        static let (blockComment, endOfBlockComment) = (Array("/*".utf8), Array("*/".utf8))
    }

    /// The bytes of all lines so far. The last line is unfinished.
    private struct Lines {
        var code: [[UInt8]] = [[]]
        var comments: [[UInt8]] = [[]]

        mutating func add(code byte: UInt8) {
            if byte == Bytes.newline {
                code.append([])
                comments.append([])
            } else {
                code[code.count - 1].append(byte)
            }
        }

        mutating func add(comment: ArraySlice<UInt8>) {
            for byte in comment {
                if byte == Bytes.newline {
                    add(code: byte)
                } else {
                    comments[comments.count - 1].append(byte)
                }
            }
        }
    }

    /// The text between a literal's quotes.
    private static func content(_ literal: ArraySlice<UInt8>) -> String {
        let isQuote = { (byte: UInt8) in byte == Bytes.hash || byte == Bytes.quote }
        let behind = literal.drop(while: isQuote)
        return String(
            decoding: behind.prefix(behind.count - behind.reversed().prefix(while: isQuote).count),
            as: UTF8.self)
    }

    private static func takeBlockComment(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = rest
        var depth = 0
        repeat {
            if rest.starts(with: Bytes.blockComment) {
                depth += 1
                rest = rest.dropFirst(2)
            } else if rest.starts(with: Bytes.endOfBlockComment) {
                depth -= 1
                rest = rest.dropFirst(2)
            } else {
                rest = rest.dropFirst()
            }
        } while depth > 0 && !rest.isEmpty
        return start[..<rest.startIndex]
    }

    /// Takes a string literal off the front of `rest`; returns nil if there is none.
    private static func takeString(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.first == Bytes.hash || rest.first == Bytes.quote else { return nil }
        let hashes = rest.prefix { $0 == Bytes.hash }
        let opening = rest.dropFirst(hashes.count)
        guard opening.first == Bytes.quote else { return nil }
        let isLong = opening.prefix(3).count == 3 && opening.prefix(3).allSatisfy { $0 == Bytes.quote }
        let quotes = Array(repeating: Bytes.quote, count: isLong ? 3 : 1)
        let (escape, end) = ([Bytes.backslash] + hashes, quotes + hashes)
        let interpolation = escape + [Bytes.open]
        let start = rest
        rest = opening.dropFirst(quotes.count)
        var depth = 0
        while let next = rest.first {
            if next == Bytes.backslash, rest.starts(with: interpolation) {
                depth += 1
                rest = rest.dropFirst(interpolation.count)
            } else if depth > 0 {
                if next == Bytes.open { depth += 1 }
                if next == Bytes.close { depth -= 1 }
                if next != Bytes.quote || takeString(from: &rest) == nil { rest = rest.dropFirst() }
            } else if next == Bytes.backslash, rest.starts(with: escape) {
                rest = rest.dropFirst(escape.count + 1)
            } else if next == Bytes.quote, rest.starts(with: end) {
                rest = rest.dropFirst(end.count)
                break
            } else {
                rest = rest.dropFirst()
            }
        }
        return start[..<rest.startIndex]
    }
}
