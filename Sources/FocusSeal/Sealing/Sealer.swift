package import FocusCore

#if !hasFeature(Embedded)
    import SystemKit
#endif

/// Seals and opens a group's events with the keys of their epochs (docs/protocol.md, "Sealing").
///
/// Sealing is deterministic: the same event under the same key produces the same bytes on every device.
/// Several tasks may use a value at once.
package struct Sealer: Sendable {
    /// The group of the events. It is part of every header, and the sealing keys are derived from it.
    package let group: GroupID
    private var keys: [EpochID: SIVKey] = [:]

    /// A sealer with the keys of these epochs.
    package init(group: GroupID, keys: [EpochKey]) throws(SealError) {
        self.group = group
        for key in keys { try add(key) }
    }

    /// Adds the key of an epoch.
    package mutating func add(_ key: EpochKey) throws(SealError) {
        keys[key.epoch] = try SIVKey(key.sealingKey(group: group))
    }

    /// Whether this sealer has the key of the epoch.
    package func hasKey(_ epoch: EpochID) -> Bool { keys[epoch] != nil }

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

    /// Seals padded bytes. Doesn't check the padding.
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
    /// - Throws: The errors of `plaintext(of:)`.
    package func open(_ sealed: SealedEvent) throws(SealError) -> Event {
        Event(id: sealed.id, stamp: sealed.stamp, action: Action(encoded: try plaintext(of: sealed)))
    }

    /// Returns the plain encoding of an event's action.
    ///
    /// - Throws: `SealError.Code.unknownEpoch`; `.notAuthentic` if the header or the body is not as it was
    ///   sealed; `.malformedPadding`, `.library`.
    package func plaintext(of sealed: SealedEvent) throws(SealError) -> [UInt8] {
        let key = try key(of: sealed.epoch)
        let padded = try key.open(sealed.body.span.bytes, associated: [sealed.header(group: group)])
        guard let plain = Padding.remove(from: padded) else {
            throw SealError(.malformedPadding, "a sealed action ends in no padding")
        }
        return plain
    }

    /// Returns the results of `plaintext(of:)` for many events, in their order. Uses several processors if
    /// the machine has them.
    package func plaintext(of sealed: [SealedEvent]) -> [Result<[UInt8], SealError>] {
        Array(unsafeUninitializedCapacity: sealed.count) { buffer, count in
            // Each part writes its own elements only.
            nonisolated(unsafe) let places = buffer
            inParallel(sealed.count, least: Sealer.threadThreshold) { part in
                for place in part {
                    places.initializeElement(
                        at: place, to: Result { () throws(SealError) in try plaintext(of: sealed[place]) })
                }
            }
            count = sealed.count
        }
    }

    /// The number of events that makes another thread worthwhile: opening one event takes about 2 µs, and
    /// starting a thread about 20 µs.
    private static let threadThreshold = 64

    private func key(of epoch: EpochID) throws(SealError) -> SIVKey {
        guard let key = keys[epoch] else {
            throw SealError(.unknownEpoch, "the key of epoch \(hexadecimal(epoch.rawValue)) is not here")
        }
        return key
    }
}

/// Padding, which hides the length of a plaintext up to a multiple of 64 bytes: `0x80`, then zeros (ISO/IEC
/// 7816-4). The `0x80` is always there, so a padded text is never empty.
enum Padding {
    /// The block size, in bytes: the length of a padded text is a multiple of it.
    static let blockSize = SealedEvent.padding

    static func add(to plain: [UInt8]) -> [UInt8] {
        var padded = plain
        padded.reserveCapacity(plain.count + blockSize)
        padded.append(0x80)
        let zeros = (blockSize - padded.count % blockSize) % blockSize
        padded.append(contentsOf: repeatElement(0, count: zeros))
        return padded
    }

    /// Returns the text without its padding, or nil if it has no valid padding.
    static func remove(from padded: [UInt8]) -> [UInt8]? {
        guard padded.count % blockSize == 0, let marker = padded.lastIndex(where: { $0 != 0 }),
            padded[marker] == 0x80, padded.count - marker <= blockSize
        else { return nil }
        return Array(padded[..<marker])
    }
}
