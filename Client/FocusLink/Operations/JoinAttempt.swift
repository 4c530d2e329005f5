package import FocusCore
package import FocusDevice
package import FocusSeal
package import FocusStore
package import FocusSync

/// An attempt to join a group with an invite, or to bring a group to a server (docs/protocol.md, "Joining").
package struct JoinAttempt {
    /// The address of the server that the invite names.
    package let server: ServerAddress
    /// The message with which the device asks to be let in.
    package let enrol: Enrol
    /// The identity of the request, which all attempts at it share: the hash of the invite's token, or the id
    /// of the group that is brought.
    package let requestIdentity: [UInt8]
    private let secret: InviteSecret
    /// The group to bring; nil if the device joins one.
    private let brought: GroupBundle?
    /// The device's new name; nil to keep the present one.
    private let name: String?
    /// The choice about the solo history.
    private let choice: SoloHistory.Choice

    /// The result of joining.
    package struct Outcome {
        /// The log of the group that the device is in now.
        package let log: SealedLog
        /// The notice about the solo history; nil if there was none.
        package let notice: SyncNotice?
    }

    /// Prepares to use an invite. If it is for bringing a new group, stores that group.
    ///
    /// - Throws: An error if this device can't use the invite. Nothing is changed then.
    package init(_ invite: Invite, name: String?, _ choice: SoloHistory.Choice, _ device: Device) throws {
        server = ServerAddress(addresses: invite.addresses, pin: invite.server)
        secret = invite.secret
        // A name without a character that shows counts as none.
        self.name = name.map(Text.cleaned).flatMap { $0.isEmpty ? nil : $0 }
        self.choice = choice
        let token = try invite.secret.token().bytes.exposed()
        switch invite.kind {
        case .joinGroup(let mark):
            if let present = try device.store.group(), GroupMark(of: present) != mark {
                throw GroupOperationError(.invitedToOtherGroup)
            }
            brought = nil
            requestIdentity = try invite.secret.token().hash().bytes
            enrol = Enrol(token: token, kind: .join)
        case .bringGroup:
            let bundle = try JoinAttempt.groupToBring(device)
            brought = bundle
            requestIdentity = bundle.group.bytes
            enrol = Enrol(token: token, kind: .bring(bundle.group, bundle.key.epoch))
        }
    }

    /// Returns the device's group, or else a new one. A new group is stored, so that a retry after a lost
    /// answer brings the same group.
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
        let random = device.platform.random
        var reader = ByteReader(try random(16).exposed())
        let group = GroupID(high: try reader.fixed(), low: try reader.fixed())
        let bundle = GroupBundle(group: group, key: try EpochKey(random(EpochKey.length)))
        try store.setValue(bundle.group.bytes + bundle.key.secret.exposed(), for: .plannedGroup)
        return bundle
    }

    /// Enters the group into which the server let the device.
    ///
    /// - Parameter key: The key that the server let in. The device's key differs if another command has left
    ///   the group meanwhile.
    package func enter(_ device: Device, _ enrolled: Enrolled, as key: Digest?) throws -> Outcome {
        let store = device.store
        let bundle = try brought ?? secret.unwrap(enrolled.bundle)
        guard bundle.group == enrolled.group else {
            throw GroupOperationError(.joinedOtherGroup)
        }
        let isOutside = try store.group() == nil
        var solo = try brought == nil && isOutside ? SoloRecords(device) : nil
        var copy: Home?
        try store.atomically {
            let present = try store.group()
            guard present == nil || present == bundle.group else {
                throw GroupOperationError(.inOtherGroup)
            }
            guard try store.deviceKey() == key else {
                throw GroupOperationError(.leftMeanwhile)
            }
            if present == nil {
                // There may be new presses since the first read.
                solo = brought == nil ? try SoloRecords(device, after: solo) : nil
                let carried = choice == .takeAlong ? solo : nil
                let records = carried?.history.records(besides: carried?.inProgress?.present?.name) ?? []
                copy = try becomeMember(bundle, device, carrying: records)
                if let inProgress = carried?.inProgress { try store.setOfflineWorkNote(inProgress) }
            } else if try !store.epochs().contains(where: { $0.id == bundle.key.epoch }) {
                // The device was away while the key changed.
                try store.add(StoredEpoch(bundle.key))
            }
            let addresses = server.addresses.joined(separator: "\n")
            try store.setText(addresses, for: .servers)
            try store.setText(addresses, for: .fallbackServers)
            try store.setServerPin(server.pin)
            try store.setValue(nil, for: .plannedGroup)
            try introduce(device)
        }
        guard let log = try SealedLog(store) else {
            throw GroupOperationError(.leftMeanwhile)
        }
        let calendar = device.platform.zone().calendar
        return Outcome(log: log, notice: notice(solo?.history.extent(by: calendar), copy))
    }

    /// Makes the device, which is in no group, a member. If it brings the group, its whole log becomes the
    /// group's. Otherwise only the `carried` records do.
    ///
    /// - Returns: The folder with the copy of the device's log; nil if none was made.
    private func becomeMember(
        _ bundle: GroupBundle, _ device: Device, carrying carried: [Action.Record]
    ) throws -> Home? {
        let store = device.store
        let isNew = try brought != nil ? true : store.eventCount() == 0
        let copy = isNew ? nil : try device.startOver(keepingCopyNamed: "alone")
        if isNew, brought == nil { try store.renewUnusedReplica() }
        try store.enter(bundle.group, StoredEpoch(bundle.key))
        try SoloHistory.write(carried, device)
        return copy
    }

    private func notice(_ extent: HistoryTransfer.Extent?, _ copy: Home?) -> SyncNotice? {
        guard let extent, let copy else { return nil }
        switch choice {
        case .takeAlong: return .tookAlong(extent)
        case .leaveBehind: return .leftBehind(extent, copy: copy)
        }
    }

    /// Writes this device's name and key into the log unless they are there.
    private func introduce(_ device: Device) throws {
        if let name { try device.store.setText(name, for: .deviceName) }
        let store = device.store
        let key = try store.deviceKey()
        let publicKey = try store.value(.publicKey)
        let name = try device.name()
        let now = try device.now()
        _ = try store.author(now: now) { authoring in
            let known = authoring.state.devices[authoring.replica]
            guard known?.name != name || known?.key != key || known?.publicKey != publicKey else { return }
            let isFirst = try brought == nil ? false : store.eventCount() == 0
            try authoring.write(.device(name: name, key: key?.hexadecimal, publicKey: publicKey))
            if isFirst { try authoring.write(Action.firstSettings) }
        }
    }
}

/// A laptop's solo history, and its session in progress. Reading them ends the session in the log. So the
/// copy of the log that is kept afterwards has no open session either.
private struct SoloRecords {
    let history: HistoryTransfer
    let inProgress: OfflineWorkNote?

    /// - Parameter earlier: The result of an earlier read, which ended the session that was in progress then.
    init(_ device: Device, after earlier: SoloRecords? = nil) throws {
        (inProgress, history) = try device.store.atomically {
            (try SoloHistory.inProgress(device) ?? earlier?.inProgress, try SoloHistory.read(device))
        }
    }
}

extension StoredEpoch {
    /// Makes the stored epoch of a key from an invite, or of the group's first key.
    fileprivate init(_ key: EpochKey) {
        self.init(id: key.epoch, key: key.secret.exposed(), predecessor: nil)
    }
}

extension StoredValueKey {
    /// A group that is being brought to a server: its id (16 bytes), then its key.
    package static let plannedGroup = StoredValueKey(rawValue: "planned-group")
}
