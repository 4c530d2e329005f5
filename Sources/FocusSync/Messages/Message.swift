package import FocusCore

/// A message between the two sides (docs/protocol.md, "Messages").
package enum Message: Hashable, Sendable {
    // Opening.
    case hello(Hello)
    case greeting(Greeting)
    case enrol(Enrol)
    case enrolled(Enrolled)
    case welcome(Welcome)
    case have(Have)
    /// Client: send this replica's events after the seq `after` again.
    case want(ReplicaID, after: UInt64)

    // Events.
    case upload(Segment)
    case ack(Ack)
    case push(Segment)
    /// Client: send this replica's chains at these seqs.
    case chainsAsked(ReplicaID, at: [UInt64])
    /// Server: the requested chains. Seqs that the server doesn't have are left out.
    case chains(ReplicaID, [Head])

    // The clock.
    /// Client: a question about the clock, with the client's steady clock at sending.
    case ping(sent: SteadyInstant)
    case pong(ClockAnswer)

    // The group's devices and keys.
    case createInvite(InviteRequest)
    /// Server: the invite with this token hash can be used.
    case inviteCreated(Digest)
    /// Client: revoke this device.
    case revoke(Digest)
    /// Server: this device is revoked.
    case revoked(Digest)
    /// Server: the request about this token hash, device or epoch was refused.
    case refused(Digest, Refusal)
    /// Server: these devices' presence changed.
    case presence([Presence])
    /// Client: devices of the group, and revocations, that the server lacks.
    case roster([RosterEntry])
    /// Either side: the record of an epoch that the other side lacks. Also the
    /// server's answer to `successor`.
    case epoch(EpochRecord)
    /// Client: the record of a new epoch. The server stores it if the predecessor has no other successor
    /// except `discounting`, which don't count.
    case successor(EpochRecord, discounting: [EpochID])

    // The end.
    /// Either side: the reason why it closes the connection.
    case error(Refusal)
    /// Either side: it closes the connection.
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

extension Message {
    /// Returns the message as the bytes of one frame.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: Message.head + bulk)
        write(to: &writer)
        return Frame.bytes(type, writer.bytes)
    }

    /// The length, in bytes, that most messages don't exceed, apart from `bulk`.
    private static let head = 64

    /// The number of bytes in the parts of the message that may be long.
    private var bulk: Int {
        switch self {
        case .upload(let segment), .push(let segment): segment.packed.count
        case .epoch(let record), .successor(let record, _): record.body.count
        default: 0
        }
    }

    private func write(to writer: inout ByteWriter) {
        switch self {
        case .hello(let hello): hello.write(to: &writer)
        case .greeting(let greeting): greeting.write(to: &writer)
        case .enrol(let enrol): enrol.write(to: &writer)
        case .enrolled(let enrolled):
            writer.group(enrolled.group)
            writer.sized(enrolled.bundle)
        case .welcome(let welcome): welcome.write(to: &writer, EncodedVector(welcome.vector))
        case .have(let have):
            writer.vector(have.vector)
            writer.list(have.epochs, limit: Limits.epochs) { $0.epoch($1) }
        case .want(let replica, let after):
            writer.replica(replica)
            writer.varint(after)
        case .upload(let segment), .push(let segment): segment.write(to: &writer)
        case .ack(let ack): ack.write(to: &writer)
        case .chainsAsked(let replica, let seqs):
            writer.replica(replica)
            writer.list(seqs, limit: Limits.probes) { $0.varint($1) }
        case .chains(let replica, let heads):
            writer.replica(replica)
            writer.list(heads, limit: Limits.probes) { $0.head($1) }
        case .ping(let sent): writer.instant(sent)
        case .pong(let answer): answer.write(to: &writer)
        case .createInvite(let request): request.write(to: &writer)
        case .inviteCreated(let digest), .revoke(let digest), .revoked(let digest): writer.digest(digest)
        case .refused(let digest, let refusal):
            writer.digest(digest)
            refusal.write(to: &writer)
        case .presence(let presence): Presence.write(presence, to: &writer)
        case .roster(let roster): RosterEntry.write(roster, to: &writer)
        case .epoch(let record): record.write(to: &writer)
        case .successor(let record, let discounted):
            record.write(to: &writer)
            writer.list(discounted, limit: Limits.discounted) { $0.epoch($1) }
        case .error(let refusal): refusal.write(to: &writer)
        case .bye: break
        }
    }
}

extension Welcome {
    /// Returns the message as the bytes of one frame.
    ///
    /// - Parameter listed: The message's vector, already encoded.
    func encoded(_ listed: EncodedVector) -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer, listed)
        return Frame.bytes(.welcome, writer.bytes)
    }
}

extension Frame {
    /// Returns the bytes of a frame with this type and body.
    fileprivate static func bytes(_ type: MessageType, _ body: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(lengthBytes + 1 + body.count)
        frame.appendBigEndian(UInt32(clamping: 1 + body.count))
        frame.append(type.rawValue)
        frame.append(contentsOf: body)
        return frame
    }
}

extension Message {
    /// Decodes the message of a frame.
    ///
    /// - Throws: `WireError.unknownType` or `.malformed`.
    package init(_ frame: Frame) throws(WireError) {
        guard let type = MessageType(rawValue: frame.type) else { throw .unknownType(frame.type) }
        do throws(ByteReader.Failure) {
            var reader = ByteReader(frame.body)
            self = try Message(type, from: &reader)
            try reader.end()
        } catch {
            throw .malformed(type, error)
        }
    }

    private init(_ type: MessageType, from reader: inout ByteReader) throws(ByteReader.Failure) {
        switch type {
        case .hello: self = .hello(try Hello(from: &reader))
        case .greeting: self = .greeting(try Greeting(from: &reader))
        case .enrol: self = .enrol(try Enrol(from: &reader))
        case .enrolled:
            self = .enrolled(
                Enrolled(group: try reader.group(), bundle: try reader.blob(limit: Limits.bundle)))
        case .welcome: self = .welcome(try Welcome(from: &reader))
        case .have: self = .have(Have(vector: try reader.vector(), epochs: try EpochID.list(from: &reader)))
        case .want: self = .want(try reader.replica(), after: try reader.seq())
        case .upload: self = .upload(try Segment(from: &reader))
        case .ack: self = .ack(try Ack(from: &reader))
        case .push: self = .push(try Segment(from: &reader))
        case .chainsAsked:
            let replica = try reader.replica()
            self = .chainsAsked(
                replica,
                at: try reader.list(limit: Limits.probes, size: 1) { reader throws(ByteReader.Failure) in
                    try reader.seq()
                })
        case .chains:
            let replica = try reader.replica()
            self = .chains(
                replica,
                try reader.list(limit: Limits.probes, size: 1 + Chain.length) {
                    reader throws(ByteReader.Failure) in try reader.head()
                })
        case .ping: self = .ping(sent: try reader.instant())
        case .pong: self = .pong(try ClockAnswer(from: &reader))
        case .createInvite: self = .createInvite(try InviteRequest(from: &reader))
        case .inviteCreated: self = .inviteCreated(try reader.digest())
        case .revoke: self = .revoke(try reader.digest())
        case .revoked: self = .revoked(try reader.digest())
        case .refused: self = .refused(try reader.digest(), try Refusal(from: &reader))
        case .presence: self = .presence(try Presence.list(from: &reader))
        case .roster: self = .roster(try RosterEntry.list(from: &reader))
        case .epoch: self = .epoch(try EpochRecord(from: &reader))
        case .successor:
            self = .successor(
                try EpochRecord(successorFrom: &reader),
                discounting: try EpochID.list(from: &reader, limit: Limits.discounted))
        case .error: self = .error(try Refusal(from: &reader))
        case .bye: self = .bye
        }
    }
}
