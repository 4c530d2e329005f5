import FocusCore

extension Message {
    /// Reads the message of a frame.
    ///
    /// - Throws: `WireError.unknownType`, `.malformed`.
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
