import FocusDevice
package import FocusLink

extension ErrandOutcome {
    /// That the laptops of these names were shut out, and what a person should know besides, as sentences.
    package func sentences(shuttingOut names: [String]) -> [String] {
        let (isAre, them, they) =
            names.count == 1 ? ("is", "it", "it doesn't") : ("are", "them", "they don't")
        let key = ", and what is changed from now on is sealed under a new key, which \(they) get"
        let done =
            "\(DeviceName.some(names)) \(isAre) out: the server refuses \(them) from now on\(hasKeyWithout ? key : "")."
        return [done] + notices.filter { if case .keyChanged = $0 { false } else { true } }.map(\.sentence)
    }

    /// That the laptop of this name was accepted, and what a person should know besides, as sentences.
    package func sentences(accepting name: String) -> [String] {
        let others = notices.filter { if case .newcomers = $0 { false } else { true } }
        return ["\(name) is in: it can read what is changed from now on."] + others.map(\.sentence)
    }
}

extension GroupFailure {
    /// That the laptops of these names couldn't be shut out, or on this laptop alone.
    package init(_ trouble: ErrandTrouble, shuttingOut names: [String]) {
        self.init(
            trouble,
            decided:
                "\(DeviceName.some(names)): shut out on this laptop; the server and the others hear of it with the next sync."
        )
    }

    /// That the laptop of this name couldn't be accepted, or on this laptop alone.
    package init(_ trouble: ErrandTrouble, accepting name: String) {
        self.init(
            trouble, decided: "\(name): accepted on this laptop; it gets the group's key with the next sync.")
    }
}
