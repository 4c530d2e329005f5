extension String {
    /// The text with whatever has a meaning to somebody written otherwise.
    package func replacing(_ replacements: KeyValuePairs<Character, String>) -> String {
        var text = ""
        for character in self {
            if let found = replacements.first(where: { $0.key == character }) {
                text += found.value
            } else {
                text.append(character)
            }
        }
        return text
    }
}
