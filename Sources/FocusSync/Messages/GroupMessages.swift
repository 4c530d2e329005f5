package import FocusCore

/// A device's presence: whether it is connected, and when it was last seen.
package struct Presence: Hashable, Sendable {
    /// The hash of the device's public key.
    package let device: Digest
    /// Whether the device is connected to the server now.
    package let isConnected: Bool
    /// The instant since which it has been connected, or at which it was last connected.
    package let lastSeen: SharedInstant

    /// Creates a device's presence.
    ///
    /// - Parameter lastSeen: The instant since which it has been connected, or at
    ///   which it was last connected.
    package init(device: Digest, isConnected: Bool, lastSeen: SharedInstant) {
        self.device = device
        self.isConnected = isConnected
        self.lastSeen = lastSeen
    }
}

/// A laptop's request to the server to keep an invite to its group.
package struct InviteRequest: Hashable, Sendable {
    /// The SHA-256 of the invite's token.
    package let tokenHash: Digest
    /// The group's key, wrapped under the invite's wrapping key.
    package let bundle: [UInt8]
    /// The time for which the invite may be used after the server stored it.
    package let lifetime: Duration

    /// Creates a request to keep an invite.
    ///
    /// - Parameter lifetime: The time for which the invite may be used after the server stored it.
    package init(tokenHash: Digest, bundle: [UInt8], lifetime: Duration) {
        self.tokenHash = tokenHash
        self.bundle = bundle
        self.lifetime = lifetime
    }
}

extension RosterEntry {
    static func list(
        from reader: inout ByteReader, limit: Int = Limits.devices
    ) throws(ByteReader.Failure) -> [RosterEntry] {
        try reader.list(limit: limit, size: Digest.length + 1) {
            reader throws(ByteReader.Failure) in
            RosterEntry(device: try reader.digest(), isRevoked: try reader.flag())
        }
    }

    static func write(_ roster: [RosterEntry], to writer: inout ByteWriter, limit: Int = Limits.devices) {
        writer.list(roster, limit: limit) { writer, entry in
            writer.digest(entry.device)
            writer.flag(entry.isRevoked)
        }
    }
}

extension Presence {
    static func list(from reader: inout ByteReader) throws(ByteReader.Failure) -> [Presence] {
        try reader.list(limit: Limits.devices, size: Digest.length + 9) {
            reader throws(ByteReader.Failure) in
            Presence(
                device: try reader.digest(), isConnected: try reader.flag(), lastSeen: try reader.instant())
        }
    }

    static func write(_ presence: [Presence], to writer: inout ByteWriter) {
        writer.list(presence, limit: Limits.devices) { writer, entry in
            writer.digest(entry.device)
            writer.flag(entry.isConnected)
            writer.instant(entry.lastSeen)
        }
    }
}

extension EpochID {
    static func list(
        from reader: inout ByteReader, limit: Int = Limits.epochs
    ) throws(ByteReader.Failure) -> [EpochID] {
        try reader.list(limit: limit, size: 8) { reader throws(ByteReader.Failure) in
            try reader.epoch()
        }
    }
}

extension InviteRequest {
    init(from reader: inout ByteReader) throws(ByteReader.Failure) {
        let tokenHash = try reader.digest()
        let bundle = try reader.blob(limit: Limits.bundle)
        // A device that joined with an empty bundle would get no key.
        guard !bundle.isEmpty else { throw .invalidValue }
        self.init(tokenHash: tokenHash, bundle: bundle, lifetime: try reader.wait())
    }

    func write(to writer: inout ByteWriter) {
        writer.digest(tokenHash)
        writer.sized(bundle)
        writer.wait(lifetime)
    }
}

extension EpochRecord {
    /// Reads the record of a successor.
    ///
    /// - Throws: `ByteReader.Failure.invalidValue` if it has no predecessor or no body.
    init(successorFrom reader: inout ByteReader) throws(ByteReader.Failure) {
        let record = try EpochRecord(from: &reader)
        guard record.predecessor != nil, !record.body.isEmpty else { throw .invalidValue }
        self = record
    }

    init(from reader: inout ByteReader) throws(ByteReader.Failure) {
        let epoch = try reader.epoch()
        let predecessor: EpochID? = try reader.flag() ? try reader.epoch() : nil
        self.init(epoch: epoch, predecessor: predecessor, body: try reader.blob(limit: Limits.epochBody))
    }

    func write(to writer: inout ByteWriter) {
        writer.epoch(epoch)
        writer.flag(predecessor != nil)
        if let predecessor { writer.epoch(predecessor) }
        writer.sized(body)
    }
}
