import FocusCore

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
