import FocusColumns
package import FocusCore

extension ServerSnapshot {
    /// Every group's log. Takes time in proportion to the segments.
    ///
    /// - Throws: `RowDamage` where one can't be read, too.
    package func logs() throws -> [GroupID: GroupIndex] {
        let found = try readableLogs()
        if let damage = found.damages.first { throw damage }
        return found.logs
    }

    /// What a key is to a group. Takes two look-ups by key at most.
    package func belonging(of key: Digest, to group: GroupIndex.Name) throws -> Belonging {
        if let device = try device(key) {
            return device.group == group.group ? .here(device) : .elsewhere(device.group)
        }
        return try device(key, in: group.number).map(Belonging.here) ?? .unknown
    }
}
