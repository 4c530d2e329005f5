import CMicroHTTPD
import SystemKit

/// Tells whether a client on this machine is a process of this user. Anybody on the machine can connect to a server on
/// loopback, and a browser may have told another user's process what belongs to this one.
struct PeerOwner {
    private let port: UInt16
    /// What answers for one socket at a time; nil if the system has nothing like that.
    private let kernel: SocketOwners?

    /// Whether a look costs little, however many sockets there are.
    var isCheap: Bool { kernel != nil }

    /// - Parameter port: The port of 127.0.0.1 at which the server listens already.
    init(listeningAt port: UInt16) {
        self.port = port
        kernel = SocketOwners(listeningAt: port)
    }

    /// The port that a client connects from; nil for what is no address of IPv4.
    static func port(of address: UnsafePointer<sockaddr>, _ length: socklen_t) -> UInt16? {
        guard length >= socklen_t(MemoryLayout<sockaddr_in>.size),
            address.pointee.sa_family == sa_family_t(AF_INET)
        else { return nil }
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            UInt16(bigEndian: $0.pointee.sin_port)
        }
    }

    /// Whether the client that has connected from `client` is a process of this user; true for everybody if the system
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

    private func isThisUserByLists(from client: UInt16) -> Bool {
        // A list that changes while it is read may lack a line: once more is enough.
        for _ in 0..<2 {
            var isTold = false
            for list in ["/proc/net/tcp", "/proc/net/tcp6"] {
                guard let bytes = try? FileDescriptor.contents(of: list) else { continue }
                isTold = true
                let text = String(decoding: bytes, as: UTF8.self)
                if let owner = PeerOwner.owner(from: client, to: port, in: text) { return owner == geteuid() }
            }
            if !isTold { return true }
        }
        return false
    }

    /// The user of the socket that is connected from one port to another, by a list of the kernel's (proc_pid_net(5),
    /// `/proc/net/tcp`); nil if it names none.
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

    /// The port of an address on loopback, as `0100007F:1F90`; nil for any other.
    private static func port(_ word: Substring) -> UInt16? {
        let parts = word.split(separator: ":")
        guard parts.count == 2, parts[0].hasSuffix("0100007F") else { return nil }
        return UInt16(parts[1], radix: 16)
    }
}
