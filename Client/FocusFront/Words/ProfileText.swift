package import FocusCore

/// The words about profiles.
package enum ProfileText {
    /// Returns the values of a profile: `25m work, 5m and 15m breaks, a long one after 4`.
    package static func values(_ lengths: PhaseLengths) -> String {
        let texts = lengths.values.map { SettingText.text($0.value, of: $0.key) }
        return "\(texts[0]) work, \(texts[1]) and \(texts[2]) breaks, a long one after \(texts[3])"
    }

    /// Returns the names of the profiles in use, or "none" if there are none.
    package static func inUse(_ profiles: [Profile], _ settings: Settings) -> String {
        let names = profiles.filter { $0.isInUse(settings) }.map { $0.name }
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }

    /// Returns the sentence about a name that no profile has.
    static func none(_ name: String) -> String { "There is no profile '\(name)'." }

    /// The sentence about the length of a name.
    static let nameRule = "The name of a profile has 1 to \(Profile.longestName) characters."

    /// Returns the sentence about a name under which nothing can be saved or removed.
    static func reserved(_ name: String) -> String {
        "'\(name)' can't be saved or removed: classic and long are built in, save and remove are commands. "
            + "Other names can be."
    }

    /// The sentence about a profile that can't be saved.
    static let tooMany = "There are \(Profile.mostSaved) saved profiles already. Remove one first."
}
