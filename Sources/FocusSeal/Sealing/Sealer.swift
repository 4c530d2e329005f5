package import FocusCore
import SystemKit

/// Seals a group's events and opens them, with the keys of the epochs it knows (docs/protocol.md, "Sealing").
///
/// Sealing is deterministic: the same event under the same key gives the same bytes on every device. A value
/// may be used by several tasks at once.
package struct Sealer: Sendable {
    /// The group whose events it seals and opens: part of every header, and of what its keys are made of.
    package let group: GroupID
    private var keys: [EpochID: SIVKey] = [:]

    /// Sets up the keys of these epochs.
    package init(group: GroupID, keys: [EpochKey]) throws(SealError) {
        self.group = group
        for key in keys { try add(key) }
    }

    /// Takes note of another epoch's key.
    package mutating func add(_ key: EpochKey) throws(SealError) {
        keys[key.epoch] = try SIVKey(key.sealingKey(group: group))
    }

    /// Whether the key of this epoch is here.
    package func knows(_ epoch: EpochID) -> Bool { keys[epoch] != nil }

    /// Seals an event under an epoch.
    ///
    /// - Throws: `SealError.Code.bodyTooLong`, `.unknownEpoch`, `.library`.
    package func seal(_ event: Event, epoch: EpochID) throws(SealError) -> SealedEvent {
        try seal(event.action.encoded(), id: event.id, stamp: event.stamp, epoch: epoch)
    }

    /// Seals an action's plain encoding, of at most `SealedEvent.plainLimit` bytes.
    ///
    /// - Throws: `SealError.Code.bodyTooLong`, `.unknownEpoch`, `.library`.
    package func seal(
        _ plain: [UInt8], id: EventID, stamp: Stamp, epoch: EpochID
    ) throws(SealError) -> SealedEvent {
        guard plain.count <= SealedEvent.plainLimit else {
            throw SealError(
                .bodyTooLong, "the action takes \(plain.count) bytes; at most \(SealedEvent.plainLimit) fit")
        }
        return try seal(padded: Padding.add(to: plain), id: id, stamp: stamp, epoch: epoch)
    }

    /// Seals what is padded already, by the rule or not.
    ///
    /// - Throws: `SealError.Code.unknownEpoch`, `.library`.
    package func seal(
        padded: [UInt8], id: EventID, stamp: Stamp, epoch: EpochID
    ) throws(SealError) -> SealedEvent {
        let key = try key(of: epoch)
        let header = SealedEvent(id: id, stamp: stamp, epoch: epoch, body: []).header(group: group)
        let body = try key.seal(padded.span.bytes, associated: [header])
        return SealedEvent(id: id, stamp: stamp, epoch: epoch, body: body)
    }

    /// Opens an event.
    ///
    /// - Throws: what `plain(of:)` throws.
    package func open(_ sealed: SealedEvent) throws(SealError) -> Event {
        Event(id: sealed.id, stamp: sealed.stamp, action: Action(encoded: try plain(of: sealed)))
    }

    /// The plain encoding of an event's action.
    ///
    /// - Throws: `SealError.Code.unknownEpoch`, `.notAuthentic` where the header or the body is not what was
    ///   sealed, `.malformedPadding`, `.library`.
    package func plain(of sealed: SealedEvent) throws(SealError) -> [UInt8] {
        let key = try key(of: sealed.epoch)
        let padded = try key.open(sealed.body.span.bytes, associated: [sealed.header(group: group)])
        guard let plain = Padding.remove(from: padded) else {
            throw SealError(.malformedPadding, "a sealed action ends in no padding")
        }
        return plain
    }

    /// The plain encodings of many events' actions, or what `plain(of:)` throws instead, in their order. Several
    /// processors work on them where there are several.
    package func plain(of sealed: [SealedEvent]) -> [Result<[UInt8], SealError>] {
        Array(unsafeUninitializedCapacity: sealed.count) { buffer, count in
            // Each part has its own places in it.
            nonisolated(unsafe) let places = buffer
            sideBySide(sealed.count, least: Sealer.worthThread) { part in
                for place in part {
                    places.initializeElement(
                        at: place, to: Result { () throws(SealError) in try plain(of: sealed[place]) })
                }
            }
            count = sealed.count
        }
    }

    /// Opening one takes some 2 µs, and beginning a thread some 20.
    private static let worthThread = 64

    private func key(of epoch: EpochID) throws(SealError) -> SIVKey {
        guard let key = keys[epoch] else {
            throw SealError(.unknownEpoch, "the key of epoch \(hexadecimal(epoch.rawValue)) is not here")
        }
        return key
    }
}

/// Hides how long a plaintext is, to 64 bytes: `0x80`, then zeros up to a multiple of 64 (ISO/IEC 7816-4). The
/// `0x80` is always there, so a padded text is never empty.
enum Padding {
    /// Padded texts are as long as a multiple of this, in bytes.
    static let block = SealedEvent.padding

    static func add(to plain: [UInt8]) -> [UInt8] {
        var padded = plain
        padded.reserveCapacity(plain.count + block)
        padded.append(0x80)
        let zeros = (block - padded.count % block) % block
        padded.append(contentsOf: repeatElement(0, count: zeros))
        return padded
    }

    /// The text as it was before padding, or nil where it isn't padded like that.
    static func remove(from padded: [UInt8]) -> [UInt8]? {
        guard padded.count % block == 0, let marker = padded.lastIndex(where: { $0 != 0 }),
            padded[marker] == 0x80, padded.count - marker <= block
        else { return nil }
        return Array(padded[..<marker])
    }
}
