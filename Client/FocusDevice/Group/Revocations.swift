package import FocusCore
package import FocusStore

/// Who is shut out of the group, as a laptop knows it: what the log says of a key, and of one of which it says nothing,
/// what a server or an epoch's record has said.
package struct Revocations {
    /// Who shut a device out.
    enum Source: Hashable, Sendable {
        /// A device, as this replica; when.
        case device(ReplicaID, at: SharedInstant)
        /// The server, whoever told it.
        case server
    }

    /// Those that are shut out.
    let sources: [Digest: Source]
    /// Those that were taken back, whatever a server or an epoch's record says of them. Their keys have no place in the
    /// group any more: who comes back has another one.
    package let readmitted: Set<Digest>

    /// - Parameters:
    ///   - state: what the log comes to.
    ///   - listed: what the server has listed, and what epochs' records have named.
    package init(_ state: ReplayState, _ listed: [GroupDevice]) {
        var sources: [Digest: Source] = [:]
        for device in listed where device.isRevoked { sources[device.key] = .server }
        for (key, ruling) in state.rulings {
            sources[key] =
                ruling.isRevoked
                ? .device(ruling.position.replica, at: ruling.position.stamp.time) : nil
        }
        self.sources = sources
        readmitted = Set(state.rulings.filter { !$0.value.isRevoked }.keys)
    }

    /// The keys of those that are shut out.
    package var keys: Set<Digest> { Set(sources.keys) }
}

extension DeviceStore {
    /// Who is shut out of the group.
    package func revocations() throws(StoreError) -> Revocations { Revocations(try state(), try devices()) }
}

extension Device {
    /// Writes down who is shut out of the group, or taken back: durable here when this returns, whatever a server says.
    package func rule(_ actions: [Action]) throws {
        guard !actions.isEmpty else { return }
        _ = try store.author(now: now()) { authoring in
            try authoring.introduceFreshReplica()
            try authoring.write(actions)
        }
    }

    /// Writes down that this device leaves the group, once.
    package func ruleItselfOut() throws {
        guard let key = try store.deviceKey() else { return }
        if try store.state().rulings[key]?.isRevoked != true { try rule([.revoke(key)]) }
    }
}
