/// What a shell offers where a value is to be typed.
package enum ValueOffer: Hashable, Sendable {
    /// Nothing: text that only the person knows.
    case nothing
    /// One of these.
    case words([OfferedWord])
    /// One of these keys, an equals sign, and one of its values, where they can be listed.
    case assignments([OfferedKey])
    /// The path of a file.
    case file
    /// The path of a folder.
    case folder
    /// What the program knows under this name, when it is asked.
    case known(String)
}

/// A word that a shell offers, and what it is for.
package struct OfferedWord: Hashable, Sendable {
    /// What is put on the command line.
    package let word: String
    /// No capital, no full stop; may be empty.
    package let summary: String

    /// A word to offer; without a summary where it says by itself what it is for.
    package init(_ word: String, _ summary: String = "") {
        self.word = word
        self.summary = summary
    }
}

/// A key that a value can be given to.
package struct OfferedKey: Hashable, Sendable {
    /// The word before the equals sign.
    package let key: OfferedWord
    /// Those that can be listed.
    package let values: [String]

    /// A key to offer; without values where any may be typed.
    package init(_ key: OfferedWord, values: [String] = []) {
        self.key = key
        self.values = values
    }
}
