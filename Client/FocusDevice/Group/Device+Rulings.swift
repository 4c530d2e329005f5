package import FocusCore
package import FocusStore

// Revocations and readmissions that a laptop writes to the log.
extension Device {
    /// Writes actions about the group to the log, such as revocations. They are durable on this laptop when
    /// this returns, even if a server refuses them.
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

// The setting that says which laptop runs the group's server (docs/timer-rules.md §2).
extension Device {
    /// Writes whether this laptop runs the group's server. Writes nothing if the log says so already, or if the
    /// group has no server.
    ///
    /// - Returns: Whether an event was written.
    package func writeServer(isHere: Bool) throws(StoreError) -> Bool {
        guard let key = try store.serverPin()?.key.beginning else { return false }
        let written = try store.state().server
        var isOwn = false
        if let written { isOwn = try ownReplicas().contains(written.replica) }
        guard isHere ? !isOwn || written?.key != key : isOwn else { return false }
        try rule([.set(key: ServerSetting.name, value: isHere ? key : 0)])
        return true
    }

    /// Returns the replica under which a laptop says that it runs the group's server. Nil if none says so of the
    /// server that this device knows.
    ///
    /// - Parameter state: The state after replaying the device's log.
    func serverReplica(_ state: ReplayState) throws(StoreError) -> ReplicaID? {
        guard let server = state.server, let pin = try store.serverPin(),
            pin.keys.contains(where: { $0.beginning == server.key })
        else { return nil }
        return server.replica
    }

    /// Returns whether the last attempt to reach the server failed, and no connection has been made since.
    func isServerUnreachable() throws(StoreError) -> Bool {
        switch try obstacle() {
        case .unreachable, .shutDown: return try link().state != .online
        default: return false
        }
    }
}
