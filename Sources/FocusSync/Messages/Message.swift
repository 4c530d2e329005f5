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
    /// Client: do this for the group.
    case request(RequestNumber, GroupRequest)
    /// Server: the request with this number is done.
    case done(RequestNumber)
    /// Server: the request with this number was refused.
    case refused(RequestNumber, Refusal)
    /// Server: this device is revoked.
    case revoked(Digest)
    /// Server: these devices' presence changed.
    case presence([Presence])
    /// Server: the record of an epoch that the client lacks.
    case epoch(EpochRecord)

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
        case .request(_, let request): request.type
        case .done: .done
        case .refused: .refused
        case .revoked: .revoked
        case .presence: .presence
        case .epoch: .epoch
        case .error: .error
        case .bye: .bye
        }
    }
}

extension Message {
    /// Returns the message as the bytes of one frame.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: Message.usualLength + bulk)
        write(to: &writer)
        return Frame.bytes(type, writer.bytes)
    }

    /// A length in bytes that most messages don't exceed. `bulk` isn't counted.
    private static let usualLength = 64

    /// The number of bytes in the parts of the message that may be long.
    private var bulk: Int {
        switch self {
        case .upload(let segment), .push(let segment): segment.packed.count
        case .epoch(let record), .request(_, .epoch(let record)), .request(_, .successor(let record, _)):
            record.body.count
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
        case .request(let number, let request):
            writer.varint(number.rawValue)
            request.write(to: &writer)
        case .done(let number): writer.varint(number.rawValue)
        case .refused(let number, let refusal):
            writer.varint(number.rawValue)
            refusal.write(to: &writer)
        case .revoked(let device): writer.digest(device)
        case .presence(let presence): Presence.write(presence, to: &writer)
        case .epoch(let record): record.write(to: &writer)
        case .error(let refusal): refusal.write(to: &writer)
        case .bye: break
        }
    }
}

extension Welcome {
    /// Returns the message as the bytes of one frame.
    ///
    /// - Parameter encodedVector: The message's vector.
    func encoded(_ encodedVector: EncodedVector) -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer, encodedVector)
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
        case .createInvite, .revoke, .roster, .keepEpoch, .successor:
            let number = RequestNumber(try reader.varint())
            guard let request = try GroupRequest(type, from: &reader) else { throw .invalidValue }
            self = .request(number, request)
        case .done: self = .done(RequestNumber(try reader.varint()))
        case .refused: self = .refused(RequestNumber(try reader.varint()), try Refusal(from: &reader))
        case .revoked: self = .revoked(try reader.digest())
        case .presence: self = .presence(try Presence.list(from: &reader))
        case .epoch: self = .epoch(try EpochRecord(from: &reader))
        case .error: self = .error(try Refusal(from: &reader))
        case .bye: self = .bye
        }
    }
}
