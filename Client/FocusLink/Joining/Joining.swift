package import FocusCore
package import FocusDevice
package import FocusSeal
package import FocusStore
package import FocusSync

/// Joining a group with an invite, or bringing one to a server (docs/protocol.md, "Joining").
package struct Joining {
    /// Where the server is that the invite names.
    package let server: ServerAddress
    /// What the device says to be let in.
    package let enrol: Enrol
    /// Tells what is asked for from everything else: the invite's token by its hash, or the group that is brought.
    package let purpose: [UInt8]
    private let secret: InviteSecret
    /// The group that is brought; nil where one is joined.
    private let brought: GroupBundle?
    /// What the device is to be called; nil where it keeps the name it has.
    private let name: String?
    /// What becomes of what the device recorded alone.
    private let choice: AloneHistory.Choice

    /// What came of it.
    package struct Outcome {
        /// The log of the group that the device is in now.
        package let log: SealedLog
        /// What became of what it had recorded alone; nil where there was nothing.
        package let notice: SyncNotice?
    }

    /// - Throws: where the invite can't be used by this device; nothing was changed then.
    package init(_ invite: Invite, name: String?, _ choice: AloneHistory.Choice, _ device: Device) throws {
        server = ServerAddress(addresses: invite.addresses, pin: invite.server)
        secret = invite.secret
        self.name = name
        self.choice = choice
        let token = try invite.secret.token().bytes.exposed()
        switch invite.kind {
        case .joinGroup(let mark):
            if let present = try device.store.group(), GroupMark(of: present) != mark {
                throw JoiningFailure.toAnotherGroup
            }
            brought = nil
            purpose = try invite.secret.token().hash().bytes
            enrol = Enrol(token: token, kind: .join)
        case .bringGroup:
            let bundle = try Joining.groupToBring(device)
            brought = bundle
            purpose = bundle.group.bytes
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
    ///
    /// - Parameter key: Whom the server let in. Another command may have left the group meanwhile, and put the key away.
    package func enter(_ device: Device, _ enrolled: Enrolled, as key: Digest?) throws -> Outcome {
        let store = device.store
        let bundle = try brought ?? secret.unwrap(enrolled.bundle)
        guard bundle.group == enrolled.group else {
            throw JoiningFailure.otherGroup
        }
        var alone = try brought == nil && store.group() == nil ? RecordedAlone(device) : nil
        var copy: Home?
        try store.atomically {
            let present = try store.group()
            guard present == nil || present == bundle.group else {
                throw JoiningFailure.inAnotherGroup
            }
            guard try store.deviceKey() == key else {
                throw JoiningFailure.leftMeanwhile
            }
            if present == nil {
                // Somebody may have pressed since that was read.
                alone = brought == nil ? try RecordedAlone(device, after: alone) : nil
                let carried = choice == .takeAlong ? alone : nil
                let records = carried?.history.records(besides: carried?.inProgress?.present?.name) ?? []
                copy = try enter(bundle, device, carrying: records)
                if let inProgress = carried?.inProgress { try store.setShownWork(inProgress) }
            } else if try !store.epochs().contains(where: { $0.id == bundle.key.epoch }) {
                // It was away while the key changed.
                try store.add(StoredEpoch(bundle.key))
            }
            try store.setText(server.addresses.joined(separator: "\n"), for: .servers)
            try store.setServerPin(server.pin)
            try store.setValue(nil, for: .plannedGroup)
            try introduce(device)
        }
        guard let log = try SealedLog(store) else {
            throw JoiningFailure.leftMeanwhile
        }
        return Outcome(log: log, notice: notice(alone?.history.extent, copy))
    }

    /// Makes the device, which is alone, a member: with its whole log where it brings the group, else with what it
    /// carries there alone. Returns where the copy of its log is, where one was made.
    private func enter(
        _ bundle: GroupBundle, _ device: Device, carrying carried: [Action.Record]
    ) throws -> Home? {
        let store = device.store
        let isNew = try brought != nil || store.eventCount() == 0
        let copy = isNew ? nil : try device.startOver(keepingCopyNamed: "alone")
        if isNew, brought == nil { try store.renewUnusedReplica() }
        try store.enter(bundle.group, StoredEpoch(bundle.key))
        try AloneHistory.write(carried, device)
        return copy
    }

    private func notice(_ extent: CarriedHistory.Extent?, _ copy: Home?) -> SyncNotice? {
        guard let extent, let copy else { return nil }
        switch choice {
        case .takeAlong: return .tookAlong(extent)
        case .leaveBehind: return .leftBehind(extent, copy: copy)
        }
    }

    /// Says in the log what this device is called and which key is its.
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
            let isFirst = try brought != nil && store.eventCount() == 0
            try authoring.write(.device(name: name, key: key?.hexadecimal, publicKey: publicKey))
            if isFirst { try authoring.write(Action.firstSettings) }
        }
    }
}

/// What a laptop has recorded alone, and what its person is in the middle of. To read it ends what runs, which the copy
/// of the log that is kept then has too.
private struct RecordedAlone {
    let history: CarriedHistory
    let inProgress: ShownWork?

    /// - Parameter earlier: what was read before, which ended what ran then.
    init(_ device: Device, after earlier: RecordedAlone? = nil) throws {
        (inProgress, history) = try device.store.atomically {
            (try AloneHistory.inProgress(device) ?? earlier?.inProgress, try AloneHistory.read(device))
        }
    }
}

extension StoredEpoch {
    /// A key that came with an invite, or is the group's first.
    fileprivate init(_ key: EpochKey) {
        self.init(id: key.epoch, key: key.secret.exposed(), predecessor: nil)
    }
}

extension ProfileKey {
    /// A group that is being brought to a server: its id (16 bytes), then its key.
    package static let plannedGroup = ProfileKey(rawValue: "planned-group")
}

/// Why a laptop that the server let in isn't in the group.
package enum JoiningFailure: Error, Hashable, Sendable {
    /// The server let it into another group than the invite's.
    case otherGroup
    /// It is in a group, and the invite is to another one. The invite wasn't used.
    case toAnotherGroup
    /// It is in another group already: somebody joined meanwhile.
    case inAnotherGroup
    /// It left its group meanwhile, and has another key now.
    case leftMeanwhile
}
