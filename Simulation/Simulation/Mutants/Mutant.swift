/// A deliberate defect: what the code says, and what it says instead. Random worlds or tests have to find it.
///
/// Mutants are put into a copy of the sources, all at once, each switched on by its number. The programs' own code
/// knows nothing of them.
package struct Mutant: Hashable, Sendable {
    /// What has to find a mutant.
    package enum Finder: Hashable, Sendable {
        /// Random worlds: a rule of theirs is broken.
        case worlds
        /// Tests of rules that random worlds can't see broken, or hardly ever: one of them fails.
        case tests(TestSuite)
    }

    /// What goes wrong, in a few words.
    package let name: String
    /// What has to find it.
    package let finder: Finder
    /// The file, from the package's root.
    package let file: String
    /// What stands there, exactly once.
    package let original: String
    /// What stands there instead. `ON` is whether the defect is switched on; without it, the code does what it
    /// did.
    package let replacement: String

    init(
        name: String, foundBy finder: Finder = .worlds, file: String, original: String, replacement: String
    ) {
        self.name = name
        self.finder = finder
        self.file = file
        self.original = original
        self.replacement = replacement
    }
}

extension Mutant {
    /// Every defect, in the order of their numbers, from 1.
    package static let all: [Mutant] =
        clientMutants + storeMutants + serverMutants + keyMutants + writerMutants + limitMutants
        + inviteMutants + belongingMutants + sessionMutants + connectionMutants + readerMutants
        + revocationMutants + beliefMutants + formMutants + returningMutants + keptMutants
        + correctionMutants + holeMutants + operatingMutants + wakingMutants + agentMutants + sharingMutants

    /// The file's text with the mutant in it; nil where its original doesn't stand there exactly once.
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
