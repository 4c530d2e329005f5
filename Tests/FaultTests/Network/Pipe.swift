import Glibc
import IntegrationSupport

/// One direction of a connection through the proxy: bytes that were read at one end and not yet written at
/// the other.
struct Pipe {
    let source: Int32
    let target: Int32
    /// The bytes that wait to be written.
    private var held: [ArraySlice<UInt8>] = []
    private var records = RecordPlace()
    private var sourceEnded = false
    private(set) var isDone = false

    init(from source: Int32, to target: Int32) {
        self.source = source
        self.target = target
    }

    /// Whether there is room for more bytes.
    var isHungry: Bool { !sourceEnded && held.count < 64 }

    /// The result of a read.
    enum Reading { case nothing, bytes([UInt8]), broken }

    /// Reads the bytes that are available.
    mutating func read() -> Reading {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = recv(source, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        if count > 0 { return .bytes(Array(chunk[..<count])) }
        if count == 0 { sourceEnded = true }
        return count == 0 || errno == EAGAIN || errno == EINTR ? .nothing : .broken
    }

    /// Queues bytes to be written.
    ///
    /// - Parameter flip: The byte in which to flip a bit. If it is part of a record's length, the next other
    ///   byte is used.
    /// - Returns: Whether a bit was flipped.
    mutating func hold(_ bytes: [UInt8], flip: (index: Int, bit: UInt8)? = nil) -> Bool {
        var bytes = bytes
        var flipped = false
        for index in bytes.indices {
            let isLength = records.isLength
            records.pass(bytes[index])
            guard let flip, !flipped, index >= flip.index, !isLength else { continue }
            bytes[index] ^= flip.bit
            flipped = true
        }
        held.append(bytes[...])
        return flipped
    }

    /// Writes the queued bytes.
    ///
    /// - Returns: False if the connection is broken.
    mutating func write() -> Bool {
        while let bytes = held.first {
            let count = bytes.withUnsafeBytes {
                send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            guard count > 0 else { return errno == EAGAIN || errno == EINTR }
            held[0] = bytes.dropFirst(count)
            if held[0].isEmpty { held.removeFirst() }
        }
        if sourceEnded, held.isEmpty, !isDone {
            isDone = true
            shutdown(target, Int32(SHUT_WR))
        }
        return true
    }
}
