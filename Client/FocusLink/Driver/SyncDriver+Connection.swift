package import FocusCore
import FocusDevice
import FocusNet
import FocusStore
import FocusSync

// What the transport tells, and when the session wants to be woken.
extension SyncDriver {
    /// This transport is there first, and the server has proved to hold the key of this hash, which is pinned. The others are
    /// given up.
    package func opened(_ transport: any SyncTransport, byServer shown: Digest) {
        guard let others = route.opened(transport, showing: shown) else { return }
        cancelNextAttempt()
        for other in others { other.abort() }
        process { driver in
            driver.acknowledged = AcknowledgedSeqs(try driver.store.replicas())
            // Another process may have been told what this one hasn't opened.
            try driver.adopt()
            return driver.session.opened(driver.time.now(), with: try driver.group?.local())
        }
    }

    /// Bytes came from the server.
    package func received(_ bytes: [UInt8], on transport: any SyncTransport) {
        guard transport === route.transport else { return }
        process { $0.session.received(bytes[...], at: $0.time.now()) }
        if session.isConnected { observer?.heard() }
    }

    /// Most of what was sent has gone out, after much of it hadn't.
    package func drained() {
        process { driver in
            guard let transport = driver.route.transport else { return [] }
            return driver.session.unsent(transport.unsentBytes)
        }
    }

    /// The transport is over; it says nothing after this.
    package func closed(_ transport: any SyncTransport, _ transportEnd: TransportEnd) {
        guard let wasOpen = route.closed(transport) else { return }
        if let end { return route.isOver ? finish(end) : () }
        switch transportEnd {
        // At some networks another machine has this address.
        case .otherServer(let address): connectNext(after: .otherServer(address))
        case .closed where wasOpen: finish(.broken(.closedByServer))
        case .closed: connectNext(after: .broken(.closedByServer))
        case .broken(let trouble) where !wasOpen: connectNext(after: .unreachable(trouble))
        case .broken(let trouble): finish(.broken(trouble))
        }
    }

    /// Begins the next attempt, because one doesn't lead there; `end` says why.
    private func connectNext(after end: SyncEnd) {
        route.failed(with: end)
        connectNext()
    }

    /// Begins the next attempt. The one after it follows as RFC 8305 §5 says: a little later, or as soon as one fails.
    func connectNext() {
        cancelNextAttempt()
        if let next = route.takeNext() { route.began(on: next(self)) }
        if route.isOver { return finish(route.failure) }
        guard route.hasUntried else { return }
        nextAttempt = time.schedule(after: ConnectionLimits.attemptDelay) { [weak self] in self?.connectNext()
        }
    }

    /// Tries no other route, and has those under way end by `body`.
    func endAttempts(_ body: (any SyncTransport) -> Void) {
        cancelNextAttempt()
        route.giveUpUntried()
        for transport in route.transports { body(transport) }
    }

    func cancelNextAttempt() {
        nextAttempt?.cancel()
        nextAttempt = nil
    }

    func scheduleWakeUp() {
        wakeUp?.cancel()
        wakeUp = nil
        guard let session = session.nextDeadline else { return }
        let key = keyPacing.deadline(isOpen: rotation.isOpen, at: time.now())
        let deadline = [replaying.deadline, rotation.deadline, told.deadline, key].compactMap { $0 }
            .reduce(session, min)
        wakeUp = time.schedule(after: max(.zero, deadline - time.now())) { [weak self] in
            self?.process { $0.session.tick($0.time.now()) }
        }
    }
}

/// The stream of bytes to the server that a `SyncDriver` sends on, as far as it needs one. It tells the driver what
/// happens (`SyncDriver.opened`, `received`, `drained`, `closed`), never from within a call to it.
package protocol SyncTransport: AnyObject {
    /// Sends bytes, in order.
    func send(_ bytes: [UInt8])
    /// How many bytes haven't gone out yet. Once they have been over `Limits.unsent` and are few again, the driver is told.
    var unsentBytes: Int { get }
    /// Ends the connection in good order, after what was sent.
    func close()
    /// Ends the connection at once.
    func abort()
    /// The other side's address, for people.
    var peerDescription: String { get }
}

/// A way to the server: begins to connect for the driver.
package typealias SyncRoute = (SyncDriver) -> any SyncTransport

/// How a transport came to its end.
package enum TransportEnd: Hashable, Sendable {
    /// In good order.
    case closed
    /// The server there, at this address, shows another key than the pinned one.
    case otherServer(String)
    /// Something went wrong.
    case broken(ConnectionTrouble)
}

/// How a driver gets to its server: the first of several routes that leads there.
struct RouteToServer {
    private enum State {
        /// These are left to be tried, the best first, and these are under way.
        case seeking(untried: [SyncRoute], underWay: [any SyncTransport])
        /// It led there; the server has proved to hold the key of this hash.
        case open(any SyncTransport, shown: Digest)
    }

    private var state: State
    /// Why none has led there yet, for people: the last one's trouble, unless another server was at one of them.
    private(set) var failure = SyncEnd.unreachable(.noAddress)

    /// By these routes, the best first.
    init(_ routes: [SyncRoute]) { state = .seeking(untried: routes, underWay: []) }

    /// What bytes are sent on, once a route has led there, until it is over.
    var transport: (any SyncTransport)? { if case .open(let transport, _) = state { transport } else { nil } }

    /// The hash of the server's key, as it has proved to hold it; nil before one has.
    var shownKey: Digest? { if case .open(_, let shown) = state { shown } else { nil } }

    /// All transports that aren't over.
    var transports: [any SyncTransport] {
        switch state {
        case .seeking(_, let underWay): underWay
        case .open(let transport, _): [transport]
        }
    }

    /// Whether a route is left to be tried.
    var hasUntried: Bool { if case .seeking(let untried, _) = state { !untried.isEmpty } else { false } }

    /// Whether nothing is under way, and nothing left to be tried.
    var isOver: Bool { transports.isEmpty && !hasUntried }

    /// A route that was tried doesn't lead there.
    mutating func failed(with end: SyncEnd) {
        if case .otherServer = failure {} else { failure = end }
    }

    /// The next route to try, which is no longer among those left; nil if there is none.
    mutating func takeNext() -> SyncRoute? {
        guard case .seeking(let untried, let underWay) = state, let next = untried.first else { return nil }
        state = .seeking(untried: Array(untried.dropFirst()), underWay: underWay)
        return next
    }

    /// The route that was taken is under way, by this transport.
    mutating func began(on transport: any SyncTransport) {
        guard case .seeking(let untried, let underWay) = state else { return }
        state = .seeking(untried: untried, underWay: underWay + [transport])
    }

    /// The transport is there, and the server has proved to hold the key of this hash.
    ///
    /// - Returns: the other transports that are under way; nil if this one isn't among them any more.
    mutating func opened(_ transport: any SyncTransport, showing shown: Digest) -> [any SyncTransport]? {
        guard case .seeking(_, let underWay) = state, underWay.contains(where: { $0 === transport }) else {
            return nil
        }
        state = .open(transport, shown: shown)
        return underWay.filter { $0 !== transport }
    }

    /// No other route is tried.
    mutating func giveUpUntried() {
        if case .seeking(_, let underWay) = state { state = .seeking(untried: [], underWay: underWay) }
    }

    /// The transport is over.
    ///
    /// - Returns: whether it had led to the server; nil if it was given up before.
    mutating func closed(_ transport: any SyncTransport) -> Bool? {
        switch state {
        case .seeking(let untried, let underWay):
            guard underWay.contains(where: { $0 === transport }) else { return nil }
            state = .seeking(untried: untried, underWay: underWay.filter { $0 !== transport })
            return false
        case .open(let open, _):
            guard open === transport else { return nil }
            state = .seeking(untried: [], underWay: [])
            return true
        }
    }
}
