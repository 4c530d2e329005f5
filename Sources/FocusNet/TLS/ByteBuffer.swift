/// Bytes on their way out: appended to by TLS, taken by the socket.
final class ByteBuffer {
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private(set) var count = 0

    /// Above this capacity the memory is given back once it was emptied.
    private static let kept = 256 * 1024

    deinit { storage.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// The bytes, until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    func append(_ more: UnsafeRawBufferPointer) {
        reserve(count + more.count)
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: more)
        count += more.count
    }

    func removeAll() {
        count = 0
        guard storage.count > ByteBuffer.kept else { return }
        storage.deallocate()
        storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    private func reserve(_ needed: Int) {
        guard needed > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(needed, storage.count * 2, 32 * 1024), alignment: 64)
        larger.copyMemory(from: bytes)
        storage.deallocate()
        storage = larger
    }
}
