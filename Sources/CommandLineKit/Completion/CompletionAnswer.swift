/// What a program answers a shell that asks what can stand next: lines of text, of which the first says what the
/// others are.
package enum CompletionAnswer {
    /// The answer, with its last newline: `words` and then a line for each, with a tab and its summary behind it; or
    /// `file` or `folder`, which the shell finds by itself.
    ///
    /// - Parameter known: What the program knows under a name.
    package static func text<Invocation>(
        _ offer: Completion<Invocation>.Offer, known: (_ name: String) -> [String]
    ) -> String {
        switch offer {
        case .file: "file\n"
        case .folder: "folder\n"
        case .words(let words): text(words)
        case .known(let name, let prefix): text(known(name).map { OfferedWord(prefix + $0) })
        }
    }

    private static func text(_ words: [OfferedWord]) -> String {
        let lines = words.filter { isTypable($0.word) }
            .map { $0.summary.isEmpty ? "\($0.word)\n" : "\($0.word)\t\($0.summary)\n" }
        return "words\n" + lines.joined()
    }

    /// Whether a word can be put into a line that somebody types. What holds control characters can't: some are keys,
    /// a tab or an end of a line would make it another word, and what garbles a line would have another than the one
    /// that is read confirmed with Enter. The empty word is no word.
    private static func isTypable(_ word: String) -> Bool {
        !word.isEmpty && word == TerminalText.message(word) && !word.contains { $0.isNewline || $0 == "\t" }
    }
}
