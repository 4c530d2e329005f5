package import FocusCore

/// A member's request about its group's devices, invites and epochs (docs/protocol.md, "Messages"). The
/// same value goes from the client's session through the server's session to the writer. The writer
/// answers with a `GroupAnswer`.
package enum GroupRequest: Hashable, Sendable {
    /// Keep an invite. The answer is `.inviteCreated` or `.refused`.
    case createInvite(InviteRequest)
    /// Revoke this device and tell every connection of the group, or answer `.refused`.
    case revoke(Digest)
    /// Add these devices and revocations to the group's roster. A revocation always wins.
    case roster([RosterEntry])
    /// Store this epoch's record, or only its body if the epoch is known without one. Send it to the group's
    /// other connections.
    case epoch(EpochRecord)
    /// Store this epoch's record if its predecessor has no successor except `discounting`, and send it to all
    /// connections of the group. Otherwise send this connection the existing successors (`.epochsExist`), or
    /// answer `.refused`.
    case successor(EpochRecord, discounting: [EpochID])

    /// The message that sends this request.
    package var message: Message {
        switch self {
        case .createInvite(let request): .createInvite(request)
        case .revoke(let device): .revoke(device)
        case .roster(let roster): .roster(roster)
        case .epoch(let record): .epoch(record)
        case .successor(let record, let discounted): .successor(record, discounting: discounted)
        }
    }

    /// The digest that the answer names: the invite's token hash, the device or the epoch. It is nil if the
    /// server answers only with a refusal, so that nothing waits for an answer.
    package var awaited: Digest? {
        switch self {
        case .createInvite(let request): request.tokenHash
        case .revoke(let device): device
        case .successor(let record, _): Digest(naming: record.epoch)
        case .roster, .epoch: nil
        }
    }

    /// The most memory, in bytes, that the request takes while it waits for the writer.
    var heldBytes: Int {
        switch self {
        case .createInvite(let request): request.bundle.count
        case .revoke: Digest.length
        case .roster(let roster): roster.count * MemoryLayout<RosterEntry>.stride
        case .epoch(let record), .successor(let record, _): record.body.count
        }
    }
}

/// The writer's answer to the connection that sent a `GroupRequest`. Changes that concern other connections
/// also go to the whole group.
package enum GroupAnswer: Hashable, Sendable {
    /// The invite with this token hash can be used.
    case inviteCreated(Digest)
    /// The device was revoked before.
    case wasRevoked(Digest)
    /// The group already had records of these epochs, which follow the same predecessor. They may be many and
    /// long, so they are read piece by piece as the connection takes them.
    case epochsExist([EpochID])
    /// The request about this token hash, device or epoch was refused.
    case refused(Digest, Refusal)
    /// The request is done, with or without success. This is the last answer to each request.
    case handled
}
