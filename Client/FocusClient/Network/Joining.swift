import CommandLineKit
import FocusCore
package import FocusSeal
package import FocusStore
package import FocusSync

/// Joining a group with an invite, or bringing one to a server (docs/protocol.md, "Joining").
package struct Joining {
    /// Where the server is that the invite names.
    package let server: ServerAddress
    /// What the device says to be let in.
    package let enrol: Enrol
    private let secret: InviteSecret
    /// The group that is brought; nil where one is joined.
    private let brought: GroupBundle?
    /// What the device is to be called; nil where it keeps the name it has.
    private let name: String?

    /// - Throws: where the invite can't be used by this device; nothing was changed then.
    package init(_ invite: Invite, name: String?, _ device: Device) throws {
        server = ServerAddress(addresses: invite.addresses, key: invite.server)
        secret = invite.secret
        self.name = name
        let token = try invite.secret.token().bytes.exposed()
        switch invite.kind {
        case .joinGroup:
            brought = nil
            enrol = Enrol(token: token, kind: .join)
        case .bringGroup:
            let bundle = try Joining.groupToBring(device)
            brought = bundle
            enrol = Enrol(token: token, kind: .bring(bundle.group, bundle.key.epoch))
        }
    }

    /// The group that the device is in, or else a new one, which it brings again where the server's answer is
    /// lost.
    private static func groupToBring(_ device: Device) throws -> GroupBundle {
        let store = device.store
        if let group = try store.group(), let epoch = try store.epochs().last {
            return GroupBundle(group: group, key: try EpochKey(SecretBytes(epoch.key)))
        }
        if let kept = try store.value(.plannedGroup), kept.count == 16 + EpochKey.length {
            var reader = ByteReader(kept)
            let group = GroupID(high: try reader.fixed(), low: try reader.fixed())
            return GroupBundle(group: group, key: try EpochKey(SecretBytes(Array(kept[16...]))))
        }
        let bundle = GroupBundle(group: try GroupID.random(), key: try EpochKey.random())
        try store.setValue(bundle.group.bytes + bundle.key.secret.exposed(), for: .plannedGroup)
        return bundle
    }

    /// Makes the device at home in the group that the server let it into.
    package func settleIn(_ device: Device, _ enrolled: Enrolled) throws -> GroupLog {
        let store = device.store
        let bundle = try brought ?? secret.unwrap(enrolled.bundle)
        guard bundle.group == enrolled.group else {
            throw CommandFailure("The server let this laptop into another group than the invite's.")
        }
        let present = try store.group()
        guard present == nil || present == bundle.group else {
            throw CommandFailure(
                "This laptop is in another group already. Leave that first ('focus leave' keeps a copy of its log), then join again with the same invite.",
                .notNow)
        }
        let carried = present == nil && brought == nil ? try AloneHistory.read(device) : []
        try store.atomically {
            if present == nil { try enter(bundle, device, carrying: carried) }
            try store.setText(server.addresses.joined(separator: "\n"), for: .servers)
            try store.setValue(server.key.bytes, for: .serverKey)
            try store.setValue(nil, for: .plannedGroup)
            try introduce(device)
        }
        guard let log = try GroupLog(store) else {
            throw CommandFailure("This laptop's log names no group though it just joined one.")
        }
        return log
    }

    /// Makes the device, which is alone, a member: with its whole log where it brings the group, else with its
    /// history alone.
    private func enter(_ bundle: GroupBundle, _ device: Device, carrying carried: [Action.Record]) throws {
        let store = device.store
        if brought == nil, try store.eventCount() > 0 { _ = try device.startOver(keepingCopyNamed: "alone") }
        try store.enter(
            bundle.group,
            StoredEpoch(id: bundle.key.epoch, key: bundle.key.secret.exposed(), predecessor: nil))
        try AloneHistory.write(carried, device)
    }

    /// Says in the log what this device is called and which key is its.
    private func introduce(_ device: Device) throws {
        if let name { try device.store.setText(name, for: .deviceName) }
        let key = try device.store.text(.deviceKey)
        let name = try device.name()
        let now = try device.now()
        _ = try device.store.author(now: now) { authoring in
            let known = authoring.state.devices[authoring.replica]
            guard known?.name != name || known?.key != key else { return }
            try authoring.write(.device(name: name, key: key))
        }
    }
}

extension ProfileKey {
    /// A group that is being brought to a server: its id (16 bytes), then its key.
    package static let plannedGroup = ProfileKey(rawValue: "planned-group")
}
