package import FocusCore
import FocusDevice
import FocusStore
import FocusSync

// What the transport tells, and when the session wants to be woken.
extension SyncDriver {
    /// The transport is there, and the server has proved to hold the key of this hash, which is pinned.
    package func opened(byServer shown: Digest) {
        route.opened(showing: shown)
        process { driver in
            driver.acknowledged = AcknowledgedSeqs(try driver.store.replicas())
            // Another process may have been told what this one hasn't opened.
            try driver.adopt()
            return driver.session.opened(driver.time.now(), with: try driver.group?.local())
        }
    }

    /// Bytes came from the server.
    package func received(_ bytes: [UInt8]) {
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
    package func closed(_ transportEnd: TransportEnd) {
        let wasOpen = route.closed()
        if let end { return finish(end) }
        switch transportEnd {
        // At some networks another machine has this address.
        case .otherServer(let address): connectNext(after: .otherServer(address))
        case .closed: finish(.broken(.closedByServer))
        case .broken(let trouble) where !wasOpen: connectNext(after: .unreachable(trouble))
        case .broken(let trouble): finish(.broken(trouble))
        }
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

/// How a driver gets to its server: by one route after the other, until one leads there.
struct RouteToServer {
    private enum State {
        /// None is under way; these are left to be tried, the best first.
        case untried([SyncRoute])
        /// One is under way, and these are left.
        case trying(any SyncTransport, left: [SyncRoute])
        /// It led there; the server has proved to hold the key of this hash.
        case open(any SyncTransport, shown: Digest)
    }

    private var state: State
    /// Why none has led there yet, for people: the last one's trouble, unless another server was at one of them.
    private(set) var failure = SyncEnd.unreachable(.noAddress)

    /// By these routes, the best first.
    init(_ routes: [SyncRoute]) { state = .untried(routes) }

    /// What bytes are sent on, once a route has been begun, until it is over.
    var transport: (any SyncTransport)? {
        switch state {
        case .untried: nil
        case .trying(let transport, _), .open(let transport, _): transport
        }
    }

    /// The hash of the server's key, as it has proved to hold it; nil before one has.
    var shownKey: Digest? { if case .open(_, let shown) = state { shown } else { nil } }

    /// The route that was tried doesn't lead there.
    mutating func failed(with end: SyncEnd) {
        if case .otherServer = failure {} else { failure = end }
    }

    /// The next route to try, which is no longer among those left; nil where there is none.
    mutating func takeNext() -> SyncRoute? {
        guard case .untried(let routes) = state, let next = routes.first else { return nil }
        state = .untried(Array(routes.dropFirst()))
        return next
    }

    /// The route that was taken is under way, and this is sent on.
    mutating func began(on transport: any SyncTransport) {
        if case .untried(let left) = state { state = .trying(transport, left: left) }
    }

    /// The transport is there, and the server has proved to hold the key of this hash.
    mutating func opened(showing shown: Digest) {
        if case .trying(let transport, _) = state { state = .open(transport, shown: shown) }
    }

    /// The transport is over. Whether it had led to the server: then no other is tried.
    mutating func closed() -> Bool {
        switch state {
        case .untried: return false
        case .trying(_, let left):
            state = .untried(left)
            return false
        case .open:
            state = .untried([])
            return true
        }
    }
}
