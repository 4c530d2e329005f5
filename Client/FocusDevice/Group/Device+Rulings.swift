package import FocusCore
package import FocusStore

// What a laptop writes into the log of who is shut out.
extension Device {
    /// Writes down who is shut out of the group, or taken back: durable here when this returns, whatever a server says.
    package func rule(_ actions: [Action]) throws {
        guard !actions.isEmpty else { return }
        _ = try store.author(now: now()) { authoring in
            try authoring.introduceFreshReplica()
            try authoring.write(actions)
        }
    }

    /// Takes a revocation back, whoever made it. One that the log doesn't have is written there first: else the rest of
    /// the group would read that somebody was taken back whom nobody has shut out, which says nothing.
    package func readmit(_ key: Digest) throws {
        let isInLog = try store.state().rulings[key] != nil
        try rule(isInLog ? [.readmit(key)] : [.revoke(key), .readmit(key)])
    }

    /// Marks laptops as new that stay in the group though one may have let them in that is shut out.
    package func markNew(_ found: DeviceKeys.Revocable) throws(StoreError) {
        guard !found.recent.isEmpty else { return }
        var newcomers = try Newcomers(store)
        try newcomers.add(Set(found.recent.map(\.key)), at: now(), store)
    }

    /// Writes down that this device leaves the group, once.
    package func ruleItselfOut() throws {
        guard let key = try store.deviceKey() else { return }
        if try store.state().rulings[key]?.isRevoked != true { try rule([.revoke(key)]) }
    }
}
