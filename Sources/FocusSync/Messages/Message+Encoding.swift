import FocusCore

extension Message {
    /// The message as the bytes of one frame.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return Frame.bytes(type, writer.bytes)
    }

    private func write(to writer: inout ByteWriter) {
        switch self {
        case .hello(let hello): hello.write(to: &writer)
        case .greeting(let greeting): greeting.write(to: &writer)
        case .enrol(let enrol): enrol.write(to: &writer)
        case .enrolled(let enrolled):
            writer.group(enrolled.group)
            writer.sized(enrolled.bundle)
        case .welcome(let welcome): welcome.write(to: &writer, ListedVector(welcome.vector))
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
    /// The message as the bytes of one frame.
    ///
    /// - Parameter listed: its vector, which is listed already.
    func encoded(_ listed: ListedVector) -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer, listed)
        return Frame.bytes(.welcome, writer.bytes)
    }
}

extension Frame {
    /// The bytes of the frame that has this type and body.
    fileprivate static func bytes(_ type: MessageType, _ body: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(lengthBytes + 1 + body.count)
        frame.appendBigEndian(UInt32(clamping: 1 + body.count))
        frame.append(type.rawValue)
        frame.append(contentsOf: body)
        return frame
    }
}
