/// The memory that all connections of a loop share, since only one of them is ever at work: an idle connection
/// then needs none.
final class LoopBuffers {
    /// What a read from a socket fills.
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 64)

    /// What TLS records are opened into.
    let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 64)

    /// What TLS records are sealed into.
    let sealed = ByteBuffer()

    /// Frees all of it. No connection may be left.
    func dispose() {
        input.deallocate()
        plain.deallocate()
    }
}
