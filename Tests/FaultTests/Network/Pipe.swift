import Glibc

/// One direction of a connection through the proxy: what was read at one end and has not been written at the other.
struct Pipe {
    let source: Int32
    let target: Int32
    /// What waits to be written.
    private var held: [ArraySlice<UInt8>] = []
    private var records = RecordPlace()
    private var sourceEnded = false
    private(set) var isDone = false

    init(from source: Int32, to target: Int32) {
        self.source = source
        self.target = target
    }

    /// Whether there is room for more.
    var isHungry: Bool { !sourceEnded && held.count < 64 }

    /// What came of reading.
    enum Reading { case nothing, bytes([UInt8]), broken }

    /// Reads what there is.
    mutating func read() -> Reading {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = recv(source, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        if count > 0 { return .bytes(Array(chunk[..<count])) }
        if count == 0 { sourceEnded = true }
        return count == 0 || errno == EAGAIN || errno == EINTR ? .nothing : .broken
    }

    /// Leaves bytes to be written.
    ///
    /// - Parameter flip: the byte in which a bit is flipped, or the next one that isn't a record's length.
    /// - Returns: whether a bit was flipped.
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

    /// Writes what waits.
    ///
    /// - Returns: false if the connection is broken.
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

/// Where in a TLS record (RFC 8446 §5.1) the next byte of a stream lies.
///
/// A flipped bit in a record's length may make its reader wait for more than ever comes, which looks like silence,
/// and that is noticed a minute later only. Everywhere else it is noticed at once.
private struct RecordPlace {
    private var header = 0
    private var length = 0

    var isLength: Bool { header == 3 || header == 4 }

    mutating func pass(_ byte: UInt8) {
        if header == 5 {
            length -= 1
        } else {
            header += 1
            length = length << 8 & 0xFFFF | Int(byte)
        }
        if header == 5, length == 0 { header = 0 }
    }
}
