package import FocusCore

/// What the two sides say to each other (docs/protocol.md, "Messages").
package enum Message: Hashable, Sendable {
    // Opening.
    case hello(Hello)
    case greeting(Greeting)
    case enrol(Enrol)
    case enrolled(Enrolled)
    case welcome(Welcome)
    case have(Have)
    /// Client: send this replica's events anew, from the one after `after`.
    case want(ReplicaID, after: UInt64)

    // Events.
    case upload(Segment)
    case ack(Ack)
    case push(Segment)
    /// Client: what are this replica's chains at these seqs?
    case chainsAsked(ReplicaID, at: [UInt64])
    /// Server: the chains that were asked for; seqs that it doesn't have are left out.
    case chains(ReplicaID, [Head])

    // The clock.
    /// Client: its steady clock as it sends.
    case ping(sent: SteadyInstant)
    case pong(ClockAnswer)

    // The group's devices and keys.
    case createInvite(InviteRequest)
    /// Server: the invite of this token hash can be used.
    case inviteCreated(Digest)
    /// Client: keep this device out from now on.
    case revoke(Digest)
    /// Server: this device is kept out.
    case revoked(Digest)
    /// Server: what was asked for this token hash or device was refused.
    case refused(Digest, Refusal)
    /// Server: these devices' presence changed.
    case presence([Presence])
    /// Client: devices of the group, and revocations, that the server lacks.
    case roster([RosterEntry])
    /// Either side: an epoch that the other side lacks. The server's answer to `successor` too.
    case epoch(EpochRecord)
    /// Client: an epoch that is to follow its predecessor, where the server has no other successor of that but those
    /// that don't count.
    case successor(EpochRecord, discounting: [EpochID])

    // The end.
    /// Either side: why it is about to close the connection.
    case error(Refusal)
    /// Either side: nothing more to say.
    case bye

    /// The message's type.
    package var type: MessageType {
        switch self {
        case .hello: .hello
        case .greeting: .greeting
        case .enrol: .enrol
        case .enrolled: .enrolled
        case .welcome: .welcome
        case .have: .have
        case .want: .want
        case .upload: .upload
        case .ack: .ack
        case .push: .push
        case .chainsAsked: .chainsAsked
        case .chains: .chains
        case .ping: .ping
        case .pong: .pong
        case .createInvite: .createInvite
        case .inviteCreated: .inviteCreated
        case .revoke: .revoke
        case .revoked: .revoked
        case .refused: .refused
        case .presence: .presence
        case .roster: .roster
        case .epoch: .epoch
        case .successor: .successor
        case .error: .error
        case .bye: .bye
        }
    }
}
