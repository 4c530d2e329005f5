/// A deliberate defect: what the code says, and what it says instead. Random worlds have to find it: one of their rules is
/// broken.
///
/// Mutants are put into a copy of the sources, all at once, each switched on by its number. The programs' own code
/// knows nothing of them.
package struct Mutant: Hashable, Sendable {
    /// What goes wrong, in a few words.
    package let name: String
    /// Whether one of the first six worlds of three minutes found it when it was last tried. Continuous integration tries
    /// two of these in four times as many worlds, the next ones with each commit.
    let isFoundEarly: Bool
    /// The file, from the package's root.
    let file: String
    /// What stands there, exactly once.
    let original: String
    /// What stands there instead. `ON` is whether the defect is switched on; without it, the code does what it
    /// did.
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
    /// Every defect, in the order of their numbers, from 1.
    package static let all = laptopMutants + serverMutants

    /// The file's text with the mutant in it; nil if its original doesn't stand there exactly once.
    ///
    /// - Parameters:
    ///   - text: the file, with other mutants or without.
    ///   - isOn: what tells, in the copy, whether it is switched on.
    func patched(_ text: String, isOn: String) -> String? {
        let parts = text.split(separator: original, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return parts.joined(separator: replacement.replacing(/\bON\b/, with: isOn))
    }
}
