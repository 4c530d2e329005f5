/// A set of lengths with a name, which a group can put in force at once.
package struct Profile: Hashable, Sendable {
    /// The name, cleaned (`Text`).
    package let name: String
    /// The values that it puts in force.
    package let lengths: PhaseLengths

    /// Creates a profile with a cleaned name.
    init(name: String, _ lengths: PhaseLengths) {
        self.name = name
        self.lengths = lengths
    }

    /// The profiles that every group has. Their names are never among the saved ones.
    package static let builtIn = [
        Profile(
            name: "classic",
            PhaseLengths(work: 25 * 60, shortBreak: 5 * 60, longBreak: 15 * 60, longBreakFrequency: 4)),
        Profile(
            name: "long",
            PhaseLengths(work: 50 * 60, shortBreak: 10 * 60, longBreak: 20 * 60, longBreakFrequency: 3)),
    ]

    /// The greatest number of saved profiles.
    package static let mostSaved = 32
    /// The greatest length of a name, in Unicode scalars.
    package static let longestName = 40

    /// Returns a name as a profile has it, or nil if it is empty or too long.
    package static func name(_ text: String) -> String? {
        let name = Text.cleaned(text)
        return name.isEmpty || name.unicodeScalars.count > longestName ? nil : name
    }

    /// Whether a person can't save or remove a profile of this name: it is a built-in one's, in capitals or
    /// not, or a word of `focus profile`.
    package static func isReserved(_ name: String) -> Bool {
        (builtIn.map { $0.name } + ["save", "remove"]).contains(name.lowercased())
    }

    /// Whether the profile has exactly this name. Swift also calls texts equal that only look the same.
    package func isNamed(_ name: String) -> Bool { self.name.utf8.elementsEqual(name.utf8) }

    /// Whether its values are in force.
    package func isInUse(_ settings: Settings) -> Bool { lengths == PhaseLengths(settings) }
}

extension PhaseLengths {
    /// Creates the set that is in force.
    package init(_ settings: Settings) {
        self.init(
            work: settings[.workLength], shortBreak: settings[.shortBreakLength],
            longBreak: settings[.longBreakLength], longBreakFrequency: settings[.longBreakFrequency])
    }
}

extension [Profile] {
    /// Returns the profile with this name, or nil if there is none.
    package func named(_ name: String) -> Profile? { first { $0.isNamed(name) } }

    /// Saves the lengths under a name, or removes the name if `lengths` is nil. The profiles stay ordered by
    /// name. A new name beyond `Profile.mostSaved` changes nothing, and neither does a built-in one.
    mutating func save(_ lengths: PhaseLengths?, named name: String) {
        guard Profile.builtIn.named(name) == nil else { return }
        let place = firstIndex { !$0.name.utf8.lexicographicallyPrecedes(name.utf8) } ?? count
        let isThere = place < count && self[place].isNamed(name)
        switch (lengths, isThere) {
        case (let lengths?, true): self[place] = Profile(name: name, lengths)
        case (let lengths?, false):
            if count < Profile.mostSaved { insert(Profile(name: name, lengths), at: place) }
        case (nil, true): remove(at: place)
        case (nil, false): break
        }
    }
}

extension ReplayState {
    /// The built-in profiles, then the saved ones.
    package var allProfiles: [Profile] { Profile.builtIn + profiles }
}
