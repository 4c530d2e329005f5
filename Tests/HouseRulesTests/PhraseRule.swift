/// Comments in plain English: phrases that cost a reader a second reading, each with what to write instead
/// (docs/contributing.md, "Words").
enum PhraseRule {
    /// Phrases in small letters, each with its replacement. A word with `^` before it begins a sentence.
    private static let table: [(phrases: [String], instead: String)] = [
        (["where"], "'if' or 'when', or name the place"),
        (
            [
                "whoever", "whatever", "whichever", "wherever", "whomever", "whom", "whose", "those that",
                "those which", "those who", "the one that", "the one which", "the one who", "the ones that",
                "the ones which", "the ones who", "he who", "him who", "they who", "them who",
            ], "name the person or the thing"
        ),
        (["so many", "so much", "so long"], "name the number: '`count` bytes'"),
        (["alone"], "'only', or 'by itself'"),
        (["anew"], "'again'"),
        (
            ["come to", "comes to", "came to", "coming to", "come of", "comes of", "came of", "coming of"],
            "'produces', 'returns', 'equals', 'becomes' or 'arrives'"
        ),
        (["see to it", "sees to it", "saw to it", "seen to it", "see that it"], "the action itself"),
        (["can't be done", "cannot be done"], "'fails'"),
        (["^what", "^how", "^who", "^which", "^why"], "a noun, or a verb in the third person"),
    ]

    /// The most lines of prose before a declaration that isn't a type. Parameters, results and errors don't count.
    private static let proseLimit = 4

    private struct Phrase {
        let words: [String]
        let instead: String
        let beginsSentence: Bool
    }

    /// All phrases by their first word.
    private static let phrases: [String: [Phrase]] = {
        let all = table.flatMap { phrases, instead in
            phrases.map { text in
                Phrase(
                    words: text.drop { $0 == "^" }.split(separator: " ").map(String.init), instead: instead,
                    beginsSentence: text.hasPrefix("^"))
            }
        }
        return Dictionary(grouping: all) { $0.words[0] }
    }()

    static func violations(in file: SourceFile) -> [Violation] {
        blocks(of: file.swift).flatMap { block in phrases(in: block, file) + tooLong(block, file) }
    }

    /// Comments on lines that follow each other.
    private struct Block {
        /// The line that it begins on, counted from 0.
        let start: Int
        /// The lines' texts, without slashes.
        let lines: [String]
        let isDocumentation: Bool
        /// The first line of code after it, without attributes.
        let declaration: String
    }

    private static func blocks(of text: SwiftText) -> [Block] {
        var blocks: [Block] = []
        var index = 0
        while index < text.comments.count {
            let start = index
            guard !text.comments[start].isEmpty else {
                index += 1
                continue
            }
            index += 1
            let isAlone = text.code[start].allSatisfy(\.isWhitespace)
            while isAlone, index < text.comments.count, !text.comments[index].isEmpty,
                text.code[index].allSatisfy(\.isWhitespace)
            {
                index += 1
            }
            let declaration = text.code[index...].first { line in
                let code = line.trimmingPrefix(while: \.isWhitespace)
                return !code.isEmpty && !code.hasPrefix("@")
            }
            blocks.append(
                Block(
                    start: start, lines: text.comments[start..<index].map { String($0.drop { $0 == "/" }) },
                    isDocumentation: isAlone && text.comments[start].hasPrefix("///"),
                    declaration: declaration ?? ""))
        }
        return blocks
    }

    private struct Word {
        let text: String
        let line: Int
        let beginsSentence: Bool
    }

    private static func phrases(in block: Block, _ file: SourceFile) -> [Violation] {
        let words = words(of: block)
        return words.indices.flatMap { place in
            (phrases[words[place].text] ?? []).filter { phrase in
                (words[place].beginsSentence || !phrase.beginsSentence)
                    && words[place...].prefix(phrase.words.count).map(\.text) == phrase.words
            }.map { phrase in
                Violation(
                    path: file.path, line: block.start + words[place].line + 1,
                    problem: "'\(phrase.words.joined(separator: " "))' in a comment: \(phrase.instead)")
            }
        }
    }

    /// The words outside backticks and quotes, in small letters.
    private static func words(of block: Block) -> [Word] {
        var words: [Word] = []
        var word: [UInt8] = []
        var quote: UInt8?
        var (beginsSentence, isCapital) = (true, false)
        func end(_ line: Int) {
            guard !word.isEmpty else { return }
            words.append(
                Word(
                    text: String(decoding: word, as: UTF8.self), line: line,
                    beginsSentence: beginsSentence && isCapital))
            (word, beginsSentence, isCapital) = ([], false, false)
        }
        for (number, line) in block.lines.enumerated() {
            if line.trimmingPrefix(while: \.isWhitespace).hasPrefix("- ") { beginsSentence = true }
            for byte in line.utf8 {
                if let open = quote {
                    if byte == open { quote = nil }
                    continue
                }
                switch byte {
                case UInt8(ascii: "`"), UInt8(ascii: "\""):
                    end(number)
                    (quote, beginsSentence) = (byte, false)
                case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    isCapital = isCapital || word.isEmpty
                    word.append(byte + 32)
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "'"), 128...: word.append(byte)
                case UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: ";"):
                    end(number)
                    beginsSentence = true
                default: end(number)
                }
            }
            end(number)
            quote = nil
        }
        return words
    }

    private static func tooLong(_ block: Block, _ file: SourceFile) -> [Violation] {
        let types = [
            "struct ", "enum ", "class ", "actor ", "protocol ", "extension ", "typealias ", "import ",
        ]
        guard block.isDocumentation, !types.contains(where: block.declaration.has) else { return [] }
        let prose = block.lines.prefix { line in
            let text = line.trimmingPrefix(while: \.isWhitespace)
            return !["- Parameter", "- Returns", "- Throws"].contains { text.hasPrefix($0) }
        }
        let count = prose.reversed().drop { $0.allSatisfy(\.isWhitespace) }.count
        guard count > proseLimit else { return [] }
        return [
            Violation(
                path: file.path, line: block.start + 1,
                problem: "\(count) lines of prose before a declaration: \(proseLimit) at most")
        ]
    }
}
