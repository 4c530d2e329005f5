import CLibUV

/// Bytes that a socket didn't take at once, until it has.
enum PendingWrite {
    /// Has libuv write a copy of `bytes` as the socket drains, and tells the connection afterwards.
    static func write(_ bytes: UnsafeRawBufferPointer, of connection: Connection, to stream: SocketStream) {
        // One block: the request, then how many bytes, then the bytes.
        let header = MemoryLayout<uv_write_t>.stride
        let block = UnsafeMutableRawPointer.allocate(byteCount: header + bytes.count, alignment: 16)
        let request = block.bindMemory(to: uv_write_t.self, capacity: 1)
        let copy = UnsafeMutableRawBufferPointer(start: block + header, count: bytes.count)
        copy.copyMemory(from: bytes)
        request.pointee.data = Unmanaged.passRetained(Written(connection, bytes.count)).toOpaque()
        var buffer = uv_buf_t(base: copy.baseAddress?.assumingMemoryBound(to: CChar.self), len: bytes.count)
        let status = uv_write(request, stream.raw, &buffer, 1) { request, status in
            PendingWrite.finish(request, status)
        }
        if status < 0 { finish(request, status) }
    }

    private static func finish(_ request: UnsafeMutablePointer<uv_write_t>?, _ status: Int32) {
        guard let request, let data = request.pointee.data else { return }
        let written = Unmanaged<Written>.fromOpaque(data).takeRetainedValue()
        UnsafeMutableRawPointer(request).deallocate()
        written.connection.wrote(written.count, status: status)
    }

    /// Whose bytes they are, and how many.
    private final class Written {
        let connection: Connection
        let count: Int

        init(_ connection: Connection, _ count: Int) {
            self.connection = connection
            self.count = count
        }
    }
}
