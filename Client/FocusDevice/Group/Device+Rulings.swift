package import FocusCore
package import FocusStore

// Revocations and readmissions that a laptop writes to the log.
extension Device {
    /// Writes revocations or readmissions to the log. They are durable on this laptop when this returns, even
    /// if a server refuses them.
    package func rule(_ actions: [Action]) throws(StoreError) {
        guard !actions.isEmpty else { return }
        _ = try store.author(now: now()) { (authoring) throws(StoreError) in
            try authoring.introduceFreshReplica()
            try authoring.write(actions)
        }
    }

    /// Readmits a device. If the log lacks the revocation, writes that first: otherwise the others would read
    /// a `readmit` without a `revoke`, which has no effect.
    package func readmit(_ key: Digest) throws(StoreError) {
        let isInLog = try store.state().rulings[key] != nil
        try rule(isInLog ? [.readmit(key)] : [.revoke(key), .readmit(key)])
    }

    /// Marks `choice.recent` as new in lists for a week. These laptops stay in the group, but a laptop that
    /// is about to be revoked may have let them in.
    ///
    /// - Parameter choice: The laptops to revoke, and the recent ones to keep.
    package func markNew(_ choice: DeviceSelector.Revocable) throws(StoreError) {
        guard !choice.recent.isEmpty else { return }
        var newcomers = try Newcomers(store)
        try newcomers.add(Set(choice.recent.map { $0.key }), at: now(), store)
    }

    /// Writes that this device leaves the group, as a revocation of its own key. Does nothing if the log has
    /// that already.
    package func writeLeaving() throws(StoreError) {
        guard let key = try store.deviceKey() else { return }
        if try store.state().rulings[key]?.isRevoked != true { try rule([.revoke(key)]) }
    }

    /// Whether this device is leaving its group (`writeLeaving`), or has left it.
    package func isLeaving() throws(StoreError) -> Bool {
        guard try store.group() != nil else { return true }
        guard let key = try store.deviceKey(), let ruling = try store.state().rulings[key], ruling.isRevoked
        else { return false }
        return try ownReplicas().contains(ruling.position.replica)
    }
}
