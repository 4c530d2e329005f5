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
    package init(
        _ invite: Invite, name: String?, _ choice: SoloHistory.Choice, _ device: Device
    ) throws(GroupOperationError) {
        server = ServerAddress(addresses: invite.addresses, pin: invite.server)
        secret = invite.secret
        // A name without a character that shows counts as none.
        self.name = name.map(Text.cleaned).flatMap { $0.isEmpty ? nil : $0 }
        self.choice = choice
        let (token, tokenHash) = try GroupOperationError.converting { () throws(SealError) in
            let token = try invite.secret.token()
            return (token.bytes.exposed(), try token.hash().bytes)
        }
        switch invite.kind {
        case .joinGroup(let mark):
            let present = try GroupOperationError.converting { () throws(StoreError) in
                try device.store.group()
            }
            if let present, GroupMark(of: present) != mark {
                throw GroupOperationError(.invitedToOtherGroup)
            }
            brought = nil
            requestIdentity = tokenHash
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
    private static func groupToBring(_ device: Device) throws(GroupOperationError) -> GroupBundle {
        let store = device.store
        let (present, epoch, kept) = try GroupOperationError.converting { () throws(StoreError) in
            (try store.group(), try store.epochs().last, try store.value(.plannedGroup))
        }
        if let present, let epoch { return try GroupBundle(of: present, epoch.key) }
        if let kept, kept.count == 16 + EpochKey.length {
            return try GroupBundle(of: group(kept), Array(kept[16...]))
        }
        let random = device.platform.random
        let bundle = try GroupOperationError.converting { () throws(SealError) in
            let name = try random(16).exposed()
            return GroupBundle(group: group(name), key: try EpochKey(random(EpochKey.length)))
        }
        try GroupOperationError.converting { () throws(StoreError) in
            try store.setValue(bundle.group.bytes + bundle.key.secret.exposed(), for: .plannedGroup)
        }
        return bundle
    }

    /// Returns the group of a name with 16 bytes.
    private static func group(_ bytes: [UInt8]) -> GroupID {
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return GroupID(high: number(bytes[..<8]), low: number(bytes[8..<16]))
    }

    /// Enters the group into which the server let the device.
    ///
    /// - Parameter key: The key that the server let in. The device's key differs if another command has left
    ///   the group meanwhile.
    package func enter(
        _ device: Device, _ enrolled: Enrolled, as key: Digest?
    ) throws(GroupOperationError) -> Outcome {
        let store = device.store
        let bundle = try GroupOperationError.converting { () throws(SealError) in
            if let brought { brought } else { try secret.unwrap(enrolled.bundle) }
        }
        guard bundle.group == enrolled.group else {
            throw GroupOperationError(.joinedOtherGroup)
        }
        var solo = try GroupOperationError.converting { () throws(StoreError) in
            guard brought == nil, try store.group() == nil else { return nil as SoloRecords? }
            return try SoloRecords(device)
        }
        var copy: Home?
        try store.atomically { () throws(GroupOperationError) in
            let (present, known) = try GroupOperationError.converting { () throws(StoreError) in
                (try store.group(), try store.deviceKey())
            }
            guard present == nil || present == bundle.group else {
                throw GroupOperationError(.inOtherGroup)
            }
            guard known == key else {
                throw GroupOperationError(.leftMeanwhile)
            }
            if present == nil {
                // There may be new presses since the first read.
                solo = try GroupOperationError.converting { () throws(StoreError) in
                    try brought == nil ? SoloRecords(device, after: solo) : nil
                }
                copy = try becomeMember(bundle, device, carrying: choice == .takeAlong ? solo : nil)
            }
            try GroupOperationError.converting { () throws(StoreError) in
                if present != nil, try !store.epochs().contains(where: { $0.id == bundle.key.epoch }) {
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
        }
        let log = try GroupOperationError.converting { () throws(LocalFailure) in try SealedLog(store) }
        guard let log else { throw GroupOperationError(.leftMeanwhile) }
        let calendar = device.platform.zone().calendar
        return Outcome(log: log, notice: notice(solo?.history.extent(by: calendar), copy))
    }

    /// Makes the device, which is in no group, a member. If it brings the group, its whole log becomes the
    /// group's. Otherwise only the records of `carried` do, and its session in progress continues.
    ///
    /// - Returns: The folder with the copy of the device's log; nil if none was made.
    private func becomeMember(
        _ bundle: GroupBundle, _ device: Device, carrying carried: SoloRecords?
    ) throws(GroupOperationError) -> Home? {
        let store = device.store
        let isNew = try GroupOperationError.converting { () throws(StoreError) in
            try brought != nil ? true : store.eventCount() == 0
        }
        var copy: Home?
        if !isNew {
            do throws(DeviceFailure) {
                copy = try device.startOver(keepingCopyNamed: "alone")
            } catch {
                throw GroupOperationError(.device(error))
            }
        }
        try GroupOperationError.converting { () throws(StoreError) in
            if isNew, brought == nil { try store.renewUnusedReplica() }
            try store.enter(bundle.group, StoredEpoch(bundle.key))
            guard let carried else { return }
            let inProgress = carried.inProgress
            try SoloHistory.write(carried.history.records(besides: inProgress?.present?.name), device)
            if let inProgress { try store.setOfflineWorkNote(inProgress) }
        }
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
    private func introduce(_ device: Device) throws(StoreError) {
        if let name { try device.store.setText(name, for: .deviceName) }
        let store = device.store
        let key = try store.deviceKey()
        let publicKey = try store.value(.publicKey)
        let name = try device.name()
        let now = try device.now()
        _ = try store.author(now: now) { (authoring) throws(StoreError) in
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
    init(_ device: Device, after earlier: SoloRecords? = nil) throws(StoreError) {
        (inProgress, history) = try device.store.atomically { () throws(StoreError) in
            (try SoloHistory.inProgress(device) ?? earlier?.inProgress, try SoloHistory.read(device))
        }
    }
}

extension GroupBundle {
    /// Makes the bundle of a group and the bytes of its key.
    init(of group: GroupID, _ key: [UInt8]) throws(GroupOperationError) {
        let key = try GroupOperationError.converting { () throws(SealError) in
            try EpochKey(SecretBytes(key))
        }
        self.init(group: group, key: key)
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
