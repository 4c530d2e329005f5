import CMicroHTTPD
import SystemKit

/// Whose requests a server takes.
package enum HTTPAudience: Hashable, Sendable {
    /// Those of this user's programs, at 127.0.0.1.
    case thisUser
    /// Those of whoever reaches this numeric address: what is served has to be for everybody there.
    case anyone(at: String)

    /// The numeric address to listen at.
    var host: String {
        switch self {
        case .thisUser: "127.0.0.1"
        case .anyone(let host): host
        }
    }
}

/// Whose process it is that has connected to a server on loopback: anybody on the machine can, and a browser may have
/// told another user's process what belongs to this one.
enum PeerOwner {
    /// The port that a client connects from; nil for what is no address of IPv4.
    static func port(of address: UnsafePointer<sockaddr>, _ length: socklen_t) -> UInt16? {
        guard length >= socklen_t(MemoryLayout<sockaddr_in>.size),
            address.pointee.sa_family == sa_family_t(AF_INET)
        else { return nil }
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            UInt16(bigEndian: $0.pointee.sin_port)
        }
    }

    /// Whether the client on this machine that has connected from one port to another is a process of this user.
    /// Where the system doesn't tell, everybody is.
    static func isThisUser(from client: UInt16, to server: UInt16) -> Bool {
        let user = geteuid()
        // A list that changes while it is read may lack a line: once more is enough.
        for _ in 0..<2 {
            var isTold = false
            for list in ["/proc/net/tcp", "/proc/net/tcp6"] {
                guard let text = contents(of: list) else { continue }
                isTold = true
                if let owner = owner(from: client, to: server, in: text) { return owner == user }
            }
            if !isTold { return true }
        }
        return false
    }

    /// The user whose socket is connected from one port to another, by a list of the kernel's (proc_pid_net(5),
    /// `/proc/net/tcp`); nil where it names none.
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

    private static func contents(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes += piece[..<count]
        }
    }
}

/// Tells whether a request to a server on this machine's loopback comes from the server's own page, or from no page
/// at all: by what browsers say of it, which no page can change.
///
/// Another page could otherwise have a browser send requests here, or by a name that it makes point to this machine
/// (DNS rebinding) read the answers.
package struct LoopbackOrigin: Hashable, Sendable {
    private let hosts: [String]

    /// - Parameter port: Where the server listens.
    package init(port: UInt16) { hosts = ["127.0.0.1:\(port)", "localhost:\(port)"] }

    /// Whether the request names this server as its host, and comes from nowhere else.
    package func admits(_ request: HTTPRequest) -> Bool {
        let named = request.headers("Host").map { $0.lowercased() }
        guard named.count == 1, let host = named.first, hosts.contains(host) else { return false }
        guard request.headers("Origin").allSatisfy({ $0.lowercased() == "http://\(host)" }) else {
            return false
        }
        return request.headers("Sec-Fetch-Site").allSatisfy { $0 == "same-origin" || $0 == "none" }
    }
}
