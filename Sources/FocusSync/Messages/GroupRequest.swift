package import FocusCore

/// What a member asks of the server for its group's devices, invites and epochs (docs/protocol.md, "The group's devices
/// and keys"). One value from the client's session through the server's to the writer, which answers it
/// (`GroupAnswer`).
package enum GroupRequest: Hashable, Sendable {
    /// Keep an invite: `.inviteCreated` or `.refused`.
    case createInvite(InviteRequest)
    /// Keep this device out, and say so on every connection of the group, or answer `.refused`.
    case revoke(Digest)
    /// Add these devices to the group's, and revocations; a revocation always wins.
    case roster([RosterEntry])
    /// Keep this epoch's record, or its body where only that is lacking, and give it to the group's other connections.
    case epoch(EpochRecord)
    /// Keep this epoch's record, where its predecessor has no successor but those that don't count, and give it to all
    /// the group's connections; or give what came first to this one (`.epochsExist`), or answer `.refused`.
    case successor(EpochRecord, discounting: [EpochID])

    /// The message that asks for it.
    package var message: Message {
        switch self {
        case .createInvite(let request): .createInvite(request)
        case .revoke(let device): .revoke(device)
        case .roster(let roster): .roster(roster)
        case .epoch(let record): .epoch(record)
        case .successor(let record, let discounted): .successor(record, discounting: discounted)
        }
    }

    /// What its answer names: the invite's token hash, the device or the epoch; nil where it is only answered if
    /// something of it was refused, so that nobody waits for that.
    package var awaited: Digest? {
        switch self {
        case .createInvite(let request): request.tokenHash
        case .revoke(let device): device
        case .successor(let record, _): Digest(naming: record.epoch)
        case .roster, .epoch: nil
        }
    }

    /// How much memory it takes at most while it waits for the writer, in bytes.
    var heldBytes: Int {
        switch self {
        case .createInvite(let request): request.bundle.count
        case .revoke: Digest.length
        case .roster(let roster): roster.count * MemoryLayout<RosterEntry>.stride
        case .epoch(let record), .successor(let record, _): record.body.count
        }
    }
}

/// What the writer says of a group's request to the connection that asked. What others hear of it, too, goes to all of
/// the group.
package enum GroupAnswer: Hashable, Sendable {
    /// The invite of this token hash can be used.
    case inviteCreated(Digest)
    /// The device that was to be revoked had been before.
    case wasRevoked(Digest)
    /// The group had these epochs' records before what was to be kept. They may be long, and many: they are read as the
    /// connection takes them.
    case epochsExist([EpochID])
    /// What was asked for this token hash, device or epoch was refused.
    case refused(Digest, Refusal)
    /// The request is done, whatever came of it: the last answer to each.
    case handled
}
