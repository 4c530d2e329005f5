/// A short number that stands for some bytes: FNV-1a of 64 bits (Fowler, Noll, Vo). The same on every machine and in
/// every version. Whoever wants to can make two texts with one fingerprint, so nothing may rest on its not happening.
package struct Fingerprint: Hashable, Sendable {
    /// The number for the bytes taken in so far.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The fingerprint of no bytes.
    package init() {}

    /// Takes in more bytes.
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Takes in a text and where it ends, so that the same characters in other texts give another fingerprint.
    package mutating func add(_ text: String) {
        add(text.utf8)
        add(CollectionOfOne(0xFF))
    }
}
