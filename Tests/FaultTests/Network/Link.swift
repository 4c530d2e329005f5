import Glibc
import TestSupport

/// The fault that a bad network applies to the bytes that pass.
enum NetworkFault: Hashable, Sendable {
    case none
    /// Cuts `connections` connections, each within the next `within` bytes.
    case cut(connections: Int, within: Int)
    /// Flips one bit in each of `connections` connections, within the next `within` bytes.
    case corrupt(connections: Int, within: Int)
}

/// One connection through the proxy.
struct Link {
    var up: Pipe
    var down: Pipe
    /// The number of bytes that have passed, in both directions together.
    private var passed = 0
    /// The byte at which the connection is harmed, if it was chosen.
    private var harmAt: Int?
    private(set) var isCorrupted = false
    private(set) var isOver = false

    init(client: Int32, server: Int32) {
        up = Pipe(from: client, to: server)
        down = Pipe(from: server, to: client)
    }

    /// A direction of the connection.
    typealias Way = WritableKeyPath<Link, Pipe>

    /// Passes waiting bytes on and applies the network's fault.
    mutating func turn(_ network: inout Proxy.Network) {
        for way in [\Link.up, \Link.down] {
            guard !isOver, self[keyPath: way].isHungry else { continue }
            switch self[keyPath: way].read() {
            case .nothing: break
            case .bytes(let bytes): pass(bytes, way, &network)
            case .broken: end()
            }
        }
        for way in [\Link.up, \Link.down] where !isOver {
            if !self[keyPath: way].write() { end() }
        }
        if !isOver, up.isDone, down.isDone { end() }
    }

    private mutating func pass(_ bytes: [UInt8], _ way: Way, _ network: inout Proxy.Network) {
        chooseHarm(&network)
        let place = harmAt.map { $0 - passed }
        passed += bytes.count
        guard let place, place < bytes.count else {
            _ = self[keyPath: way].hold(bytes)
            return
        }
        if case .cut = network.fault {
            _ = self[keyPath: way].hold(Array(bytes[..<max(0, place)]))
            _ = self[keyPath: way].write()
            network.harmed += 1
            return end(abruptly: Bool.random(using: &network.random))
        }
        let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &network.random)
        if self[keyPath: way].hold(bytes, flip: (place, bit)) {
            network.harmed += 1
            isCorrupted = true
            harmAt = nil
        }
    }

    /// Chooses the byte at which this connection is harmed, unless enough connections were chosen already.
    private mutating func chooseHarm(_ network: inout Proxy.Network) {
        switch network.fault {
        case .cut(let connections, let within), .corrupt(let connections, let within):
            guard harmAt == nil, !isCorrupted, network.chosen < connections else { return }
            network.chosen += 1
            harmAt = passed + Int.random(in: 0..<within, using: &network.random)
        case .none: harmAt = nil
        }
    }

    /// Ends the connection for both sides: in good order, or with a reset, as after a power loss.
    mutating func end(abruptly: Bool = false) {
        guard !isOver else { return }
        isOver = true
        for end in [up.source, up.target] {
            if abruptly {
                var atOnce = linger(l_onoff: 1, l_linger: 0)
                setsockopt(end, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
            }
            close(end)
        }
    }
}
