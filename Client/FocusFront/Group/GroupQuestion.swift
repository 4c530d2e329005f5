import FocusDevice

/// What is asked before something is done to the group that can't be undone.
package enum GroupQuestion {
    /// What is asked before laptops of these names are shut out.
    ///
    /// - Parameter others: those that go along, since whoever is shut out may have listed them.
    package static func revoke(_ names: [String], along others: [String]) -> String {
        let along =
            others.isEmpty
            ? "" : " and with it \(DeviceName.some(others)), which the server lists and no laptop has named,"
        return "Shut \(DeviceName.some(names))\(along) out of the group for good?"
    }

    /// What is asked before the laptop of this name and key gets the group's key.
    package static func accept(_ title: String, _ key: String) -> String {
        let digits = DeviceName.digits(of: key)
        let name = title.contains(digits) ? title : "\(title) (\(digits))"
        return
            "Let \(name) read what is changed from now on? It came with a key from before a laptop was shut out."
    }

    /// What is asked before this laptop leaves its group.
    ///
    /// - Parameter isLast: Whether the group has no other laptop.
    package static func leave(isLast: Bool) -> String {
        "Leave the group? This laptop starts anew, alone, and a copy of the group's log is kept here. "
            + (isLast
                ? "It is the last laptop of the group, so nobody can let it in again."
                : "To come back takes a new invite.")
    }
}
