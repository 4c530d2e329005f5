import FocusCore

extension Hello {
    init(from reader: inout ByteReader) throws(ByteReader.Failure) {
        self.init(
            versions: try reader.versions(), purpose: Purpose(rawValue: try reader.byte()),
            sent: try reader.instant(), program: try reader.text())
    }

    func write(to writer: inout ByteWriter) {
        writer.versions(versions)
        writer.byte(purpose.rawValue)
        writer.instant(sent)
        writer.text(program)
    }
}

extension Greeting {
    init(from reader: inout ByteReader) throws(ByteReader.Failure) {
        self.init(
            versions: try reader.versions(), chosen: ProtocolVersion(rawValue: try reader.fixed()),
            clock: try ClockAnswer(from: &reader), program: try reader.text())
    }

    func write(to writer: inout ByteWriter) {
        writer.versions(versions)
        writer.fixed(chosen.rawValue)
        clock.write(to: &writer)
        writer.text(program)
    }
}

extension ClockAnswer {
    init(from reader: inout ByteReader) throws(ByteReader.Failure) {
        let asked: SteadyInstant = try reader.instant()
        let served: Served? =
            try reader.flag()
            ? Served(received: try reader.instant(), sent: try reader.instant()) : nil
        self.init(asked: asked, served: served)
    }

    func write(to writer: inout ByteWriter) {
        writer.instant(asked)
        writer.flag(served != nil)
        if let served {
            writer.instant(served.received)
            writer.instant(served.sent)
        }
    }
}

extension Enrol {
    init(from reader: inout ByteReader) throws(ByteReader.Failure) {
        let token = try reader.blob(limit: Limits.token)
        let brings = try reader.flag()
        self.init(token: token, kind: brings ? .bring(try reader.group(), try reader.epoch()) : .join)
    }

    func write(to writer: inout ByteWriter) {
        writer.sized(token)
        switch kind {
        case .join: writer.flag(false)
        case .bring(let group, let epoch):
            writer.flag(true)
            writer.group(group)
            writer.epoch(epoch)
        }
    }
}

extension Welcome {
    init(from reader: inout ByteReader) throws(ByteReader.Failure) {
        let group = try reader.group()
        let latest = Stamp(rawValue: try reader.fixed())
        guard latest.isWellFormed else { throw .invalidValue }
        self.init(
            group: group, vector: try reader.vector(), latest: latest,
            roster: try RosterEntry.list(from: &reader), epochs: try EpochID.list(from: &reader),
            presence: try Presence.list(from: &reader),
            nextServerKey: try reader.flag() ? try reader.digest() : nil,
            addresses: try reader.list(limit: Limits.addresses, size: 2) {
                reader throws(ByteReader.Failure) in try reader.address()
            })
    }

    /// - Parameter encodedVector: The message's vector.
    func write(to writer: inout ByteWriter, _ encodedVector: EncodedVector) {
        writer.group(group)
        writer.fixed(latest.rawValue)
        writer.raw(encodedVector.bytes)
        RosterEntry.write(roster, to: &writer)
        writer.list(epochs, limit: Limits.epochs) { $0.epoch($1) }
        Presence.write(presence, to: &writer)
        writer.flag(nextServerKey != nil)
        if let nextServerKey { writer.digest(nextServerKey) }
        let fitting = addresses.filter { (1...Limits.address).contains($0.utf8.count) }
        writer.list(fitting, limit: Limits.addresses) { $0.string($1) }
    }
}
