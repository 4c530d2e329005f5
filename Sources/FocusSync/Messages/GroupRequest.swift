package import FocusCore

/// The number of a request on its connection. The client counts its requests from 1 on, and the server's
/// answer repeats the number.
package struct RequestNumber: Hashable, Sendable {
    /// The number itself.
    package let rawValue: UInt64

    /// Creates a request's number.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// A member's request about its group's devices, invites and epochs (docs/protocol.md, "Messages"). The
/// same value goes from the client's session through the server's session to the writer. The writer
/// answers with a `GroupAnswer`.
package enum GroupRequest: Hashable, Sendable {
    /// Keep an invite.
    case createInvite(InviteRequest)
    /// Revoke this device and tell every connection of the group.
    case revoke(Digest)
    /// Add these devices and revocations to the group's roster, at most `Limits.rosterPiece`. A revocation
    /// always wins.
    case roster([RosterEntry])
    /// Store this epoch's record, or only its body if the epoch is known without one. Send it to the group's
    /// other connections.
    case epoch(EpochRecord)
    /// Store this epoch's record if its predecessor has no successor except `discounting`, and send it to all
    /// connections of the group. Otherwise send this connection the existing successors.
    case successor(EpochRecord, discounting: [EpochID])

    /// Whether the request lists or revokes devices.
    package var isAboutDevices: Bool {
        switch self {
        case .revoke, .roster: true
        case .createInvite, .epoch, .successor: false
        }
    }

    /// The type of the message that sends this request.
    var type: MessageType {
        switch self {
        case .createInvite: .createInvite
        case .revoke: .revoke
        case .roster: .roster
        case .epoch: .keepEpoch
        case .successor: .successor
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

extension GroupRequest {
    /// Reads the request in a message of this type; nil if messages of this type are no requests.
    init?(_ type: MessageType, from reader: inout ByteReader) throws(ByteReader.Failure) {
        switch type {
        case .createInvite: self = .createInvite(try InviteRequest(from: &reader))
        case .revoke: self = .revoke(try reader.digest())
        case .roster: self = .roster(try RosterEntry.list(from: &reader, limit: Limits.rosterPiece))
        case .keepEpoch: self = .epoch(try EpochRecord(from: &reader))
        case .successor:
            self = .successor(
                try EpochRecord(successorFrom: &reader),
                discounting: try EpochID.list(from: &reader, limit: Limits.discounted))
        default: return nil
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .createInvite(let request): request.write(to: &writer)
        case .revoke(let device): writer.digest(device)
        case .roster(let roster): RosterEntry.write(roster, to: &writer, limit: Limits.rosterPiece)
        case .epoch(let record): record.write(to: &writer)
        case .successor(let record, let discounted):
            record.write(to: &writer)
            writer.list(discounted, limit: Limits.discounted) { $0.epoch($1) }
        }
    }
}

/// The writer's answer to a `GroupRequest`. Changes go to the group's connections besides.
package enum GroupAnswer: Hashable, Sendable {
    /// The request is done: the invite can be used, the device is revoked, or the record or the roster is
    /// stored. A roster's devices that belong to another group were left out.
    case done
    /// The group already had records of these epochs, which follow the same predecessor. They may be many and
    /// long, so they are read piece by piece as the connection takes them.
    case epochsExist([EpochID])
    /// The request was refused.
    case refused(Refusal)
}
