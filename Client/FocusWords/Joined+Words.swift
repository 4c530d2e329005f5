import FocusLink

extension Joined {
    /// Where the laptop is now, and with how many others.
    package var sentence: String {
        let others = count == 1 ? "no other laptop yet" : "\(count) laptops in all"
        return wasIn
            ? "This laptop's group is on the server at \(addresses.joined(separator: ", ")) now; here, as \(name), with \(others)."
            : "This laptop is in the group now, as \(name), with \(others)."
    }

    /// That another laptop is called the same, and what changes that; nil where none is.
    package func namesakeSentence(_ remedy: String) -> String? {
        hasNamesake
            ? "Another laptop of the group is called \(name) too. \(remedy) gives this one a name of its own."
            : nil
    }

    /// All of it for a view that has its own ways on: `remedy` is what gives the laptop another name there.
    package func sentences(remedy: String) -> [String] {
        [sentence] + [namesakeSentence(remedy)].compactMap(\.self) + notices.map(\.sentence)
    }
}
