import CLibUV
import SystemKit

/// A socket's address in the form that system calls take.
struct SocketAddress {
    private var storage: sockaddr_storage
    /// The number of bytes of `storage` that are used.
    let length: socklen_t
    /// The path of a local socket; nil for TCP.
    let path: String?
    /// The path that is in the address: `path`, or a shorter one that leads to the same file. Nil for TCP.
    let shortPath: String?
    /// The open folder that `shortPath` refers to, if the two paths differ.
    private let folder: OwnedDescriptor?

    /// Copies the address from the `length` bytes at `pointer`.
    init(_ pointer: UnsafePointer<sockaddr>, length: socklen_t) {
        storage = sockaddr_storage()
        path = nil
        shortPath = nil
        folder = nil
        self.length = min(length, socklen_t(MemoryLayout<sockaddr_storage>.size))
        withUnsafeMutableBytes(of: &storage) { bytes in
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: Int(self.length)))
        }
    }

    /// The address in these bytes, which have the system's layout.
    init(bytes: [UInt8]) {
        storage = sockaddr_storage()
        path = nil
        shortPath = nil
        folder = nil
        let count = min(bytes.count, MemoryLayout<sockaddr_storage>.size)
        length = socklen_t(count)
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix(count)) }
    }

    /// The address of a local socket. A path over 107 bytes doesn't fit into an address. For such a path, the
    /// initializer opens its folder. The address then names the folder's descriptor, which stays open as long
    /// as this value exists.
    /// - Throws: `.badAddress` if the path is empty, contains a zero byte, or is too long and ends in a name
    ///   over 85 bytes; the system's error if the folder of a long path can't be opened.
    init(path: String) throws(NetError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The last byte stays zero: it ends the path.
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        var shortPath = path
        var folder: OwnedDescriptor?
        if SystemText.bytes(path).count > room, !path.utf8.contains(0),
            let parent = PathParts.parent(of: path)
        {
            guard let opened = OwnedDescriptor(open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
                throw NetError(errno: errno, "opening the folder of \(path)")
            }
            folder = opened
            shortPath = "/proc/self/fd/\(opened.number)/\(PathParts.name(of: path))"
        }
        let bytes = SystemText.bytes(shortPath)
        guard !bytes.isEmpty, bytes.count <= room, !bytes.contains(0) else {
            throw NetError(.badAddress, "not a path for a local socket: '\(path)'")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { storage in
            withUnsafeBytes(of: address) { storage.copyMemory(from: $0) }
        }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
        self.path = path
        self.shortPath = shortPath
        self.folder = folder
    }

    /// The address with this numeric host and port.
    /// - Throws: `.badAddress` if `host` is not an IPv4 or IPv6 address.
    init(numeric host: String, port: UInt16) throws(NetError) {
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if uv_ip4_addr(host, Int32(port), &four) == 0 {
            self = SocketAddress(copying: four)
        } else if uv_ip6_addr(host, Int32(port), &six) == 0 {
            self = SocketAddress(copying: six)
        } else {
            throw NetError(.badAddress, "not a numeric address: \(host)")
        }
    }

    /// The address of a host of 4 or 16 bytes, or nil if `host` has another number of bytes.
    init?(host: [UInt8], port: UInt16) {
        switch host.count {
        case 4:
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &four.sin_addr) { $0.copyBytes(from: host) }
            self = SocketAddress(copying: four)
        case 16:
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &six.sin6_addr) { $0.copyBytes(from: host) }
            self = SocketAddress(copying: six)
        default: return nil
        }
    }

    private init<Address>(copying address: Address) {
        self = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                SocketAddress($0, length: socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    /// The address that a socket is bound to or, if `peer` is true, the address that it is connected to. Nil
    /// if it has none.
    init?(of socket: Int32, peer: Bool = false) {
        var found = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &found) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                peer ? getpeername(socket, $0, &length) : getsockname(socket, $0, &length)
            }
        }
        guard status == 0 else { return nil }
        storage = found
        path = nil
        shortPath = nil
        folder = nil
        self.length = min(length, socklen_t(MemoryLayout<sockaddr_storage>.size))
    }

    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    var family: Int32 { Int32(storage.ss_family) }

    /// The TCP port; 0 for a local socket.
    var port: UInt16 {
        switch family {
        case AF_INET: withMemory(as: sockaddr_in.self) { UInt16(bigEndian: $0.sin_port) }
        case AF_INET6: withMemory(as: sockaddr_in6.self) { UInt16(bigEndian: $0.sin6_port) }
        default: 0
        }
    }

    /// The bytes of the host's address: 4 or 16; empty for a local socket.
    var hostBytes: [UInt8] {
        switch family {
        case AF_INET: withMemory(as: sockaddr_in.self) { withUnsafeBytes(of: $0.sin_addr) { Array($0) } }
        case AF_INET6: withMemory(as: sockaddr_in6.self) { withUnsafeBytes(of: $0.sin6_addr) { Array($0) } }
        default: []
        }
    }

    /// The numeric host; empty for a local socket.
    var host: String {
        var text = [CChar](repeating: 0, count: 64)
        let status = withPointer { address, _ in uv_ip_name(address, &text, text.count) }
        guard status == 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The address for people: host and port, or the path.
    var description: String { path ?? Endpoint.tcp(host: host, port: port).description }

    /// Lends the address to a system call.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    private func withMemory<Address, Result>(as type: Address.Type, _ body: (Address) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: type, capacity: 1) { body($0.pointee) }
        }
    }
}
