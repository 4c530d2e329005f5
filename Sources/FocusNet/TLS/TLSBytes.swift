import COpenSSL

/// The input and the output of one TLS session, which OpenSSL reads and writes instead of a socket.
///
/// A custom BIO copies each byte once, directly between the caller's buffer and OpenSSL's, and holds no bytes
/// between calls. A memory BIO copies twice and keeps its buffers. (Idle connection: 19.8 KiB; with a memory
/// BIO 22.4.)
final class TLSBytes {
    /// The peer's bytes that OpenSSL has not read yet. The caller lends them for the duration of a call.
    var input = UnsafeRawBufferPointer(start: nil, count: 0)

    /// The buffer for OpenSSL's bytes to the peer.
    let output: ByteBuffer

    /// The session that owns these bytes. OpenSSL calls the certificate check without it, so the check finds
    /// it here.
    unowned let session: TLSSession
    private let library: TLSLibrary

    init(session: TLSSession, output: ByteBuffer, library: TLSLibrary) {
        self.session = session
        self.library = library
        self.output = output
    }

    /// Returns a BIO over these bytes, or nil if OpenSSL has no memory. The BIO doesn't own them.
    func makeBIO() -> OpaquePointer? {
        let tls = library.functions.pointee
        guard let method = TLSBytes.method, let bio = tls.BIO_new(method) else { return nil }
        tls.BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        tls.BIO_set_init(bio, 1)
        return bio
    }

    /// Returns the bytes under a BIO made by `makeBIO`, or nil if it has none.
    static func of(_ bio: OpaquePointer?, _ tls: lockstep_tls) -> TLSBytes? {
        guard let data = tls.BIO_get_data(bio) else { return nil }
        return Unmanaged<TLSBytes>.fromOpaque(data).takeUnretainedValue()
    }

    private func read(into target: UnsafeMutableRawPointer, count: Int) -> Int {
        let taken = min(count, input.count)
        guard taken > 0, let start = input.baseAddress else { return 0 }
        target.copyMemory(from: start, byteCount: taken)
        input = UnsafeRawBufferPointer(rebasing: input[taken...])
        return taken
    }

    /// The callbacks of the BIO: the same for all sessions, and never changed once made.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let tls = TLSLibrary.openedFunctions,
            let method = tls.BIO_meth_new(tls.BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "connection")
        else { return nil }
        _ = tls.BIO_meth_set_read_ex(method) { bio, target, count, taken in
            guard let tls = TLSLibrary.openedFunctions, let bytes = TLSBytes.of(bio, tls), let target,
                let taken
            else { return 0 }
            tls.BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            taken.pointee = bytes.read(into: target, count: count)
            if taken.pointee > 0 { return 1 }
            tls.BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            return 0
        }
        _ = tls.BIO_meth_set_write_ex(method) { bio, source, count, written in
            guard let tls = TLSLibrary.openedFunctions, let bytes = TLSBytes.of(bio, tls), let written else {
                return 0
            }
            tls.BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            bytes.output.append(UnsafeRawBufferPointer(start: source, count: count))
            written.pointee = count
            return 1
        }
        _ = tls.BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }()
}

/// Outgoing bytes: TLS appends them and the socket takes them.
final class ByteBuffer {
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private(set) var count = 0

    /// The capacity, in bytes, above which the memory is freed when the buffer is emptied.
    private static let kept = 256 * 1024

    deinit { storage.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// The bytes, valid until the next change.
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
