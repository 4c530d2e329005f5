import CLibUV
import FocusSync
import Synchronization
import SystemKit

/// The addresses at which other machines can reach this one.
package enum OwnAddresses {
    /// The host that stands for all of this machine's addresses in a server's list.
    package static let word = "auto"

    /// The time in which the machine's name has to be found on the network.
    private static let patience = Duration.seconds(2)
    /// The beginnings of the names of networks that exist only within a machine, between its containers and
    /// virtual machines.
    private static let innerNetworks = ["docker", "br-", "veth", "virbr", "podman", "cni", "lxcbr", "lxdbr"]
    /// The most IPv6 addresses to name. A machine may have many that soon end.
    private static let sixLimit = 2
    /// Whether a thread looks up the machine's name. A lookup that hangs isn't repeated meanwhile.
    private static let isLookingUp = Atomic(false)

    /// Whether one of these addresses stands for this machine's own.
    package static func areNamed(in addresses: [String]) -> Bool {
        addresses.contains { Address($0)?.host == word }
    }

    /// Returns the addresses, with this machine's own in place of `auto`, each once.
    ///
    /// - Parameters:
    ///   - limit: The most addresses to return.
    ///   - find: Returns this machine's own hosts, best first. It may wait for the network.
    package static func expanded(
        _ addresses: [String], limit: Int, by find: () -> [String] = OwnAddresses.find
    ) -> [String] {
        lazy var hosts = find()
        var all: [String] = []
        for text in addresses {
            var own = [text]
            if let address = Address(text), address.host == word {
                own = hosts.map { host in
                    guard let port = address.port, port != Address.defaultPort else { return host }
                    return Address.text(host: host, port: port)
                }
            }
            all += own.filter { !all.contains($0) }
        }
        return Array(all.prefix(limit))
    }

    /// Returns this machine's name on the local network, if it has one, and its numeric addresses. Waits for the
    /// network, for 2 seconds at most.
    package static func find() -> [String] {
        let hosts = numeric()
        return (hosts.isEmpty ? [] : [localName()].compactMap(\.self)) + hosts
    }

    /// Returns the numeric addresses of the interfaces, IPv4 first. Leaves out loopback and link-local addresses, and
    /// networks within the machine.
    package static func numeric() -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var (four, six): ([String], [String]) = ([], [])
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            let name = entry.ifa_name.map { String(cString: $0) } ?? ""
            guard let found = entry.ifa_addr, !innerNetworks.contains(where: { name.hasPrefix($0) }) else {
                continue
            }
            switch Int32(found.pointee.sa_family) {
            case AF_INET:
                let address = SocketAddress(found, length: socklen_t(MemoryLayout<sockaddr_in>.size))
                if isReachable(address.hostBytes) { four.append(address.host) }
            case AF_INET6:
                let address = SocketAddress(found, length: socklen_t(MemoryLayout<sockaddr_in6>.size))
                if isReachable(address.hostBytes) { six.append(address.host) }
            default: break
            }
        }
        return four + six.prefix(sixLimit)
    }

    /// Whether other machines can reach an address of 4 or 16 bytes: it is neither loopback nor link-local.
    static func isReachable(_ host: [UInt8]) -> Bool {
        switch host.count {
        case 4: host[0] != 127 && host[0] != 0 && !(host[0] == 169 && host[1] == 254)
        case 16:
            !(host[0] == 0xFE && host[1] & 0xC0 == 0x80) && !host.dropLast().allSatisfy { $0 == 0 }
        default: false
        }
    }

    /// Returns the machine's name with `.local`, or nil if the network's name service (Avahi, mDNS) doesn't
    /// know it, doesn't answer in time, or hasn't answered an earlier question yet.
    private static func localName() -> String? {
        guard let label = machineName?.split(separator: ".").first else { return nil }
        let name = "\(label).local"
        guard Address(name) != nil, !isLookingUp.exchange(true, ordering: .relaxed) else { return nil }
        let answer = LookupAnswer()
        let isBegun = runDetached {
            answer.set(HostReach(name) == .others)
            isLookingUp.store(false, ordering: .relaxed)
        }
        if !isBegun { isLookingUp.store(false, ordering: .relaxed) }
        guard isBegun, Polling.wait(atMost: patience, for: { answer.isFound }) == true else { return nil }
        return name
    }

    /// The machine's name; nil if it has none.
    package static var machineName: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return Address(text) == nil ? nil : text
    }
}

/// The list that a server announces in place of `auto`. It changes less often than what is found, because
/// laptops have to connect again to learn it.
package struct OwnAddressList: Hashable, Sendable {
    private var announced: [String] = []
    private var lastFound: [String] = []

    /// Creates a list without addresses.
    package init() {}

    /// Returns whether to announce a list that was found: the first one, and others that are found twice in a
    /// row. An empty list isn't announced, because without a network laptops keep the addresses they have.
    /// Nor is one that only lacks the announced name with `.local`, because name services come and go.
    package mutating func update(with found: [String]) -> Bool {
        defer { lastFound = found }
        let numeric = announced.filter { Address($0)?.host.hasSuffix(".local") != true }
        guard !found.isEmpty, announced.isEmpty || found == lastFound, ![announced, numeric].contains(found)
        else { return false }
        announced = found
        return true
    }
}

/// The machines that can reach a host, by its addresses.
package enum HostReach: Hashable, Sendable {
    /// None: the host has no address, for this reason.
    case nobody(String)
    /// Only this machine: all addresses are loopback or link-local ones.
    case thisMachine
    /// Other machines too, if the network lets them.
    case others

    /// Looks up a host. Blocks until the answer is known.
    package init(_ host: String) {
        switch HostLookup.addresses(of: host, Address.defaultPort) {
        case .failure(let error): self = .nobody(error.context)
        case .success(let found):
            let isReachable = found.contains {
                OwnAddresses.isReachable(SocketAddress(bytes: $0).hostBytes)
            }
            self = isReachable ? .others : .thisMachine
        }
    }
}

/// The answer of a lookup on another thread; nil before it is known.
private final class LookupAnswer: Sendable {
    private let found = Mutex<Bool?>(nil)

    var isFound: Bool? { found.withLock { $0 } }

    func set(_ isFound: Bool) { found.withLock { $0 = isFound } }
}
