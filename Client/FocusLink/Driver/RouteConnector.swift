import FocusCore
import FocusDevice
import FocusSync

/// A driver's transport to its server, and the attempts to open one: the first route that connects is used.
final class RouteConnector {
    private enum State {
        /// No route is open. The untried routes are in order, best first.
        case seeking(untried: [Route], underWay: [any SyncTransport])
        /// A route is open, and the server has proved that it holds the key with this hash.
        case open(any SyncTransport, serverKey: Digest)
    }

    private let time: any Scheduler
    private let references: BackReferences
    private var state: State
    /// The timer for trying the next route while others are under way.
    private var nextAttempt: (any Alarm)?
    /// The reason why no route has connected yet, for people. It is the failure of the last attempt, unless
    /// an earlier attempt found another server.
    private var failure = SyncEnd.unreachable(.noAddress)
    /// The reason why the connection is being given up, if there is one. The first reason counts.
    private var end: SyncEnd?
    /// Whether bytes were sent since the driver last asked how many are unsent.
    private var hasSent = false

    init(_ routes: [Route], time: any Scheduler, _ references: BackReferences) {
        state = .seeking(untried: routes, underWay: [])
        self.time = time
        self.references = references
    }

    /// The transport to the server while one is open.
    var transport: (any SyncTransport)? { if case .open(let transport, _) = state { transport } else { nil } }

    /// The hash of the key that the server has proved to hold; nil if no route is open.
    var serverKey: Digest? { if case .open(_, let key) = state { key } else { nil } }

    /// The endpoint of the server, in words; empty if there is no connection.
    var peerDescription: String { transport?.peerDescription ?? "" }

    /// Whether no transport is open or under way, and no route is untried.
    var isOver: Bool {
        guard case .seeking(let untried, let underWay) = state else { return false }
        return untried.isEmpty && underWay.isEmpty
    }

    /// Begins the next attempt. The one after it follows after a short delay, or as soon as an attempt fails
    /// (RFC 8305 §5).
    ///
    /// - Returns: The end of the connection; nil if an attempt is under way.
    func connectNext(for driver: SyncDriver) -> SyncEnd? {
        cancelNextAttempt()
        guard case .seeking(let untried, let underWay) = state else { return nil }
        guard let next = untried.first else { return underWay.isEmpty ? failure : nil }
        state = .seeking(untried: Array(untried.dropFirst()), underWay: underWay + [next(driver)])
        guard untried.count > 1 else { return nil }
        nextAttempt = time.schedule(after: Limits.attemptDelay) { [references] in references.driver?.start() }
        return nil
    }

    /// Uses this transport, and aborts the others under way. The server has proved to hold the key with the
    /// hash `serverKey`.
    ///
    /// - Returns: False if the transport was given up before.
    func opened(_ transport: any SyncTransport, serverKey: Digest) -> Bool {
        guard case .seeking(_, let underWay) = state, underWay.contains(where: { $0 === transport }) else {
            return false
        }
        state = .open(transport, serverKey: serverKey)
        cancelNextAttempt()
        for other in underWay where other !== transport { other.abort() }
        return true
    }

    func send(_ bytes: [UInt8]) {
        transport?.send(bytes)
        hasSent = true
    }

    /// Returns the number of unsent bytes; nil if no bytes were sent since the last call.
    func unsentOfLatest() -> Int? {
        guard hasSent, let transport else { return nil }
        hasSent = false
        return transport.unsentBytes
    }

    /// Handles the end of a transport. If it wasn't open yet, the next attempt begins.
    ///
    /// - Returns: The end of the connection; nil if it goes on.
    func closed(_ transport: any SyncTransport, _ ending: TransportEnd, for driver: SyncDriver) -> SyncEnd? {
        let wasOpen = transport === self.transport
        if wasOpen {
            state = .seeking(untried: [], underWay: [])
        } else {
            guard case .seeking(let untried, let underWay) = state,
                underWay.contains(where: { $0 === transport })
            else { return nil }
            state = .seeking(untried: untried, underWay: underWay.filter { $0 !== transport })
        }
        if let end { return isOver ? end : nil }
        switch ending {
        // In some networks another machine has this address, so the other routes are tried too.
        case .otherServer(let address): failed(with: .otherServer(address))
        case .closed where wasOpen: return .broken(.closedByServer)
        case .closed: failed(with: .broken(.closedByServer))
        case .broken(let trouble) where wasOpen: return .broken(trouble)
        case .broken(let trouble): failed(with: .unreachable(trouble))
        }
        return connectNext(for: driver)
    }

    private func failed(with end: SyncEnd) {
        if case .otherServer = failure {} else { failure = end }
    }

    /// Drops the untried routes, and calls `endTransport` for each transport that is open or under way.
    ///
    /// - Parameter end: The reason, or nil for none. It is ignored if an earlier call gave one.
    func giveUp(because end: SyncEnd? = nil, _ endTransport: (any SyncTransport) -> Void) {
        self.end = self.end ?? end
        cancelNextAttempt()
        switch state {
        case .seeking(_, let underWay):
            state = .seeking(untried: [], underWay: underWay)
            for transport in underWay { endTransport(transport) }
        case .open(let transport, _): endTransport(transport)
        }
    }

    private func cancelNextAttempt() {
        nextAttempt?.cancel()
        nextAttempt = nil
    }
}
