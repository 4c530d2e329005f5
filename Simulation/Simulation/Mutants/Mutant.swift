/// A deliberate defect: a fragment of code, and its replacement. A random world finds the defect if it breaks
/// a rule.
///
/// All mutants are put into one copy of the sources, each switched on by its number. The programs' own code
/// knows nothing of them.
package struct Mutant: Hashable, Sendable {
    /// A short description of the defect.
    package let name: String
    /// Whether one of the first six worlds of three minutes found it when it was last tried. Continuous
    /// integration tries two of these mutants with each commit, in four times as many worlds.
    let isFoundEarly: Bool
    /// The path of the file, relative to the package's root.
    let file: String
    /// The original fragment. It occurs exactly once in the file.
    let original: String
    /// The replacement. `ON` in it stands for the condition that switches the defect on. If it is false, the
    /// code does what the original does.
    let replacement: String

    init(
        name: String, isFoundEarly: Bool = false, file: String, original: String, replacement: String
    ) {
        self.name = name
        self.isFoundEarly = isFoundEarly
        self.file = file
        self.original = original
        self.replacement = replacement
    }
}

extension Mutant {
    /// All mutants, in the order of their numbers, from 1.
    package static let all = laptopMutants + serverMutants

    /// Returns the file's text with the mutant in it; nil if the original doesn't occur exactly once.
    ///
    /// - Parameters:
    ///   - text: The text of the file. Other mutants may be in it.
    ///   - isOn: The condition that replaces `ON`.
    func patched(_ text: String, isOn: String) -> String? {
        let parts = text.split(separator: original, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return parts.joined(separator: replacement.replacing(/\bON\b/, with: isOn))
    }
}
