import CMicroHTTPD
import SystemKit

/// Checks whether a client on this machine is a process of this user. Every user of the machine can connect
/// to a server on loopback, and a browser may have revealed this user's secrets to another user's process.
struct PeerOwner {
    private let port: UInt16
    /// Looks up the owner of a single socket; nil if the system has no such lookup.
    private let kernel: SocketOwners?

    /// Whether a lookup costs the same for any number of sockets.
    var isCheap: Bool { kernel != nil }

    /// - Parameter port: The port of 127.0.0.1 at which the server listens already.
    init(listeningAt port: UInt16) {
        self.port = port
        kernel = SocketOwners(listeningAt: port)
    }

    /// Returns the port of a client's address, or nil if it isn't an IPv4 address.
    static func port(of address: UnsafePointer<sockaddr>, _ length: socklen_t) -> UInt16? {
        guard length >= socklen_t(MemoryLayout<sockaddr_in>.size),
            address.pointee.sa_family == sa_family_t(AF_INET)
        else { return nil }
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            UInt16(bigEndian: $0.pointee.sin_port)
        }
    }

    /// Whether the client at port `client` is a process of this user; true for every client if the system
    /// doesn't tell.
    ///
    /// Costs two system calls. Without `SocketOwners` it reads a list of all sockets on the machine.
    func isThisUser(from client: UInt16) -> Bool {
        switch kernel?.owner(from: client, to: port) ?? .unknown {
        case .user(let user): user == geteuid()
        case .none: false
        case .unknown: isThisUserByLists(from: client)
        }
    }

    /// Does the same as `isThisUser`, with the system's lists of all sockets.
    private func isThisUserByLists(from client: UInt16) -> Bool {
        // A list that changes while it is read may lack a line. A second reading is enough.
        for _ in 0..<2 {
            var hasList = false
            for list in ["/proc/net/tcp", "/proc/net/tcp6"] {
                guard let bytes = try? FileDescriptor.contents(of: list) else { continue }
                hasList = true
                let text = String(decoding: bytes, as: UTF8.self)
                if let owner = PeerOwner.owner(from: client, to: port, in: text) { return owner == geteuid() }
            }
            if !hasList { return true }
        }
        return false
    }

    /// Returns the user of the socket that is connected from one port to another, or nil if `list` doesn't
    /// contain it. `list` is the kernel's `/proc/net/tcp` (proc_pid_net(5)).
    static func owner(from client: UInt16, to server: UInt16, in list: String) -> UInt32? {
        for line in list.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            guard words.count > 7, port(words[1]) == client, port(words[2]) == server,
                words[3] == PeerOwner.established
            else { continue }
            return UInt32(words[7])
        }
        return nil
    }

    private static let established = "01"

    /// Returns the port of an address on loopback, such as `0100007F:1F90`, or nil for other addresses.
    private static func port(_ word: Substring) -> UInt16? {
        let parts = word.split(separator: ":")
        guard parts.count == 2, parts[0].hasSuffix("0100007F") else { return nil }
        return UInt16(parts[1], radix: 16)
    }
}
