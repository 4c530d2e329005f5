package import FocusCore
import FocusSeal
package import FocusStore

/// Who shares the session, as the log says it: the devices behind its replicas.
package struct DeviceList: Sendable {
    /// A device.
    package struct Entry: Hashable, Sendable {
        /// What the others call it.
        package let name: String
        /// The hash of its public key, 64 hex digits; nil where it has never joined a group.
        package let key: String?
        package let isThis: Bool
        package let isOnline: Bool
        package let isRevoked: Bool
        /// Whether it waits for a person to accept it.
        package let isLate: Bool
        /// All that it is and was.
        package let replicas: [ReplicaID]
        /// The time of its last event, milliseconds since the Unix epoch; nil where there is none.
        package let lastEvent: Int64?
    }

    /// This device first, the others by name.
    package let entries: [Entry]

    /// The devices that `device` knows of.
    package init(_ device: Device) throws(StoreError) {
        let state = try device.store.state()
        let replicas = try device.store.replicas()
        let online = Set(try device.link().online)
        let listed = try device.store.devices()
        let revoked = Set(listed.filter(\.isRevoked).map { hexadecimal($0.key.bytes) })
        let late = Set(listed.filter(\.isLate).map { hexadecimal($0.key.bytes) })
        let isRevoked = try device.isRevoked()
        let ownKey = try device.store.text(.deviceKey)
        let ownName = try device.name()

        var groups: [Owner: [StoredReplica]] = [:]
        for replica in replicas {
            let named = state.devices[replica.id]
            guard replica.isOwn || named != nil else { continue }
            let owner: Owner =
                replica.isOwn || named?.key != nil && named?.key == ownKey
                ? .this : named?.key.map { .key($0) } ?? .replica(replica.id)
            groups[owner, default: []].append(replica)
        }
        groups[.this, default: []] += []
        entries = groups.map { owner, replicas in
            let newest = replicas.filter { state.devices[$0.id] != nil }.max { $0.stamp < $1.stamp }
            let key: String? =
                switch owner {
                case .this: ownKey
                case .key(let key): key
                case .replica: nil
                }
            let isThis = owner == .this
            return Entry(
                name: isThis ? ownName : newest.flatMap { state.devices[$0.id]?.name } ?? "", key: key,
                isThis: isThis, isOnline: key.map { online.contains($0) } ?? false,
                isRevoked: isThis && isRevoked || key.map { revoked.contains($0) } ?? false,
                isLate: key.map { late.contains($0) } ?? false,
                replicas: replicas.map(\.id).sorted(),
                lastEvent: replicas.filter { $0.seq > 0 }.map(\.stamp.milliseconds).max())
        }.sorted { left, right in
            if left.isThis != right.isThis { return left.isThis }
            return left.name == right.name
                ? (left.key ?? "") < (right.key ?? "") : left.name < right.name
        }
    }

    /// Whom a replica belongs to, as far as can be told: a device that has never joined a group has no key.
    private enum Owner: Hashable {
        case this
        case key(String)
        case replica(ReplicaID)
    }
}
