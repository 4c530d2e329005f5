import Foundation
import Glibc
import IntegrationSupport
import Synchronization
import TestSupport

/// A proxy between laptops and their server that acts like a bad network.
final class Proxy: Sendable {
    /// The port at which it listens.
    let port: UInt16

    /// The present state of the network.
    struct Network {
        var fault = NetworkFault.none
        var random: SeededGenerator
        /// The number of connections that were chosen to be harmed (`chosen`) and that were harmed.
        var chosen = 0
        var harmed = 0
    }

    private struct State {
        var network: Network
        var links: [Link] = []
        var isOver = false
    }

    private let state: Mutex<State>

    /// Starts to pass connections on to the server at that port.
    init(to server: UInt16, seed: UInt64) throws {
        state = Mutex(State(network: Network(random: SeededGenerator(seed: seed))))
        port = try freePort()
        guard let listener = LoopbackSocket(listeningAt: port) else {
            throw Unmet("the proxy can't listen at \(port)")
        }
        let descriptor = listener.release()
        Thread.detachNewThread { [weak self] in
            while Proxy.turn(self, descriptor, server) {}
            close(descriptor)
        }
    }

    /// Ends the proxy and all connections through it.
    func end() { state.withLock { $0.isOver = true } }

    /// Sets the fault from now on, and resets the counts.
    func set(_ fault: NetworkFault) {
        state.withLock {
            $0.network.fault = fault
            $0.network.chosen = 0
            $0.network.harmed = 0
        }
    }

    /// The number of connections that were harmed since the fault was set.
    var harmed: Int { state.withLock(\.network.harmed) }

    /// The number of open connections in which a bit was flipped.
    var corruptedLeft: Int { state.withLock { $0.links.count { $0.isCorrupted } } }

    /// Waits until bytes can pass, and passes them on.
    ///
    /// - Returns: False once the proxy has ended.
    private static func turn(_ proxy: Proxy?, _ listener: Int32, _ server: UInt16) -> Bool {
        guard let proxy else { return false }
        var watched = proxy.state.withLock { state in
            [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)] + state.links.flatMap(\.watched)
        }
        // A short timeout, because bytes that didn't fit are written in the next turn.
        poll(&watched, nfds_t(watched.count), 3)
        return proxy.state.withLock { state in
            if let link = accept(listener, server) { state.links.append(link) }
            for index in state.links.indices { state.links[index].turn(&state.network) }
            state.links.removeAll(where: \.isOver)
            guard state.isOver else { return true }
            for index in state.links.indices { state.links[index].end() }
            return false
        }
    }

    /// Accepts a waiting client and connects it with the server.
    private static func accept(_ listener: Int32, _ server: UInt16) -> Link? {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 0) == 1, let client = acceptedClient(listener) else { return nil }
        guard let connection = LoopbackSocket(connectedTo: server) else {
            close(client)
            return nil
        }
        let server = connection.release()
        for end in [client, server] {
            var yes: Int32 = 1
            setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        return Link(client: client, server: server)
    }
}

extension Link {
    /// The descriptors to poll before the next turn.
    fileprivate var watched: [pollfd] {
        [up, down].filter { $0.isHungry }.map { pollfd(fd: $0.source, events: Int16(POLLIN), revents: 0) }
    }
}
