package import FocusCore
import Testing

/// Returns a digest of 32 equal bytes.
package func digest(_ byte: UInt8) throws -> Digest {
    try #require(Digest(bytes: [UInt8](repeating: byte, count: Digest.length)))
}

/// Returns a digest that differs for each number.
package func digest(number: Int) throws -> Digest {
    let bytes = (0..<Digest.length).map {
        UInt8(truncatingIfNeeded: $0 < 8 ? number >> ($0 * 8) : 0xD1)
    }
    return try #require(Digest(bytes: bytes))
}
