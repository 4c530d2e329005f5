package import FocusCore
import FocusDevice
import FocusNet
import FocusStore
import FocusSync

// Events of the transport, and the timer that wakes the session.
extension SyncDriver {
    /// Uses this transport, which is the first to be open, and aborts the others. The server has proved that
    /// it holds the pinned key with the hash `shown`.
    package func opened(_ transport: any SyncTransport, byServer shown: Digest) {
        guard let others = route.opened(transport, showing: shown) else { return }
        cancelNextAttempt()
        for other in others { other.abort() }
        process { driver in
            driver.acknowledged = AcknowledgedSeqs(try driver.store.replicas())
            // Another process may have stored records that this process hasn't opened.
            try driver.adopt()
            return driver.session.opened(driver.time.now(), with: try driver.group?.local())
        }
    }

    /// Passes bytes from the server to the session.
    package func received(_ bytes: [UInt8], on transport: any SyncTransport) {
        guard transport === route.transport else { return }
        process { $0.session.received(bytes[...], at: $0.time.now()) }
        if session.isConnected { observer?.heard() }
    }

    /// Tells the session that most of a large amount of unsent data has gone out.
    package func drained() {
        process { driver in
            guard let transport = driver.route.transport else { return [] }
            return driver.session.unsent(transport.unsentBytes)
        }
    }

    /// Handles the end of a transport, which reports nothing after this.
    package func closed(_ transport: any SyncTransport, _ transportEnd: TransportEnd) {
        guard let wasOpen = route.closed(transport) else { return }
        if let end { return route.isOver ? finish(end) : () }
        switch transportEnd {
        // In some networks another machine has this address, so the other routes are tried too.
        case .otherServer(let address): connectNext(after: .otherServer(address))
        case .closed where wasOpen: finish(.broken(.closedByServer))
        case .closed: connectNext(after: .broken(.closedByServer))
        case .broken(let trouble) where !wasOpen: connectNext(after: .unreachable(trouble))
        case .broken(let trouble): finish(.broken(trouble))
        }
    }

    /// Begins the next attempt after one failed because of `end`.
    private func connectNext(after end: SyncEnd) {
        route.failed(with: end)
        connectNext()
    }

    /// Begins the next attempt. The one after it follows after a short delay, or as soon as an attempt fails
    /// (RFC 8305 §5).
    func connectNext() {
        cancelNextAttempt()
        if let next = route.takeNext() { route.began(on: next(self)) }
        if route.isOver { return finish(route.failure) }
        guard route.hasUntried else { return }
        nextAttempt = time.schedule(after: ConnectionLimits.attemptDelay) { [weak self] in self?.connectNext()
        }
    }

    /// Cancels the untried routes, and ends the attempts under way with `body`.
    func endAttempts(_ body: (any SyncTransport) -> Void) {
        cancelNextAttempt()
        route.giveUpUntried()
        for transport in route.transports { body(transport) }
    }

    func cancelNextAttempt() {
        nextAttempt?.cancel()
        nextAttempt = nil
    }

    /// Schedules the session's next tick: at the session's deadline, or earlier if other work is due.
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

/// A stream of bytes between a `SyncDriver` and the server. It reports its events to the driver
/// (`SyncDriver.opened`, `received`, `drained`, `closed`), but never during a call that it receives from the
/// driver.
package protocol SyncTransport: AnyObject {
    /// Sends bytes, in order.
    func send(_ bytes: [UInt8])
    /// The number of bytes that haven't gone out yet. After it was over `Limits.unsent` and most of the bytes
    /// have gone out, the transport calls `SyncDriver.drained`.
    var unsentBytes: Int { get }
    /// Ends the connection in good order, after the bytes already sent.
    func close()
    /// Ends the connection at once.
    func abort()
    /// The address of the other side, for people.
    var peerDescription: String { get }
}

/// A route to the server: begins to connect for the driver.
package typealias Route = (SyncDriver) -> any SyncTransport

/// The way in which a transport ended.
package enum TransportEnd: Hashable, Sendable {
    /// The connection was closed in good order.
    case closed
    /// The server at this address shows another key than the pinned one.
    case otherServer(String)
    /// The connection failed.
    case broken(ConnectionTrouble)
}

/// The state of a driver's attempts to reach its server: the first of several routes that connects is used.
struct RouteConnector {
    private enum State {
        /// No route is open yet. The untried routes are in order, best first.
        case seeking(untried: [Route], underWay: [any SyncTransport])
        /// A route is open, and the server has proved that it holds the key with this hash.
        case open(any SyncTransport, shown: Digest)
    }

    private var state: State
    /// The reason why no route has connected yet, for people. It is the failure of the last attempt, unless
    /// an earlier attempt found another server.
    private(set) var failure = SyncEnd.unreachable(.noAddress)

    /// Begins with these routes untried, best first.
    init(_ routes: [Route]) { state = .seeking(untried: routes, underWay: []) }

    /// The transport to the server while one is open.
    var transport: (any SyncTransport)? { if case .open(let transport, _) = state { transport } else { nil } }

    /// The hash of the key that the server has proved to hold; nil if no route is open.
    var shownKey: Digest? { if case .open(_, let shown) = state { shown } else { nil } }

    /// All transports that haven't ended.
    var transports: [any SyncTransport] {
        switch state {
        case .seeking(_, let underWay): underWay
        case .open(let transport, _): [transport]
        }
    }

    /// Whether there are untried routes.
    var hasUntried: Bool { if case .seeking(let untried, _) = state { !untried.isEmpty } else { false } }

    /// Whether no attempt is under way and no route is untried.
    var isOver: Bool { transports.isEmpty && !hasUntried }

    /// Notes why an attempt failed.
    mutating func failed(with end: SyncEnd) {
        if case .otherServer = failure {} else { failure = end }
    }

    /// Removes and returns the next route to try; nil if there is none.
    mutating func takeNext() -> Route? {
        guard case .seeking(let untried, let underWay) = state, let next = untried.first else { return nil }
        state = .seeking(untried: Array(untried.dropFirst()), underWay: underWay)
        return next
    }

    /// Notes that the attempt on the route just removed uses this transport.
    mutating func began(on transport: any SyncTransport) {
        guard case .seeking(let untried, let underWay) = state else { return }
        state = .seeking(untried: untried, underWay: underWay + [transport])
    }

    /// Notes that the transport is open, and that the server has proved to hold the key with the hash
    /// `shown`.
    ///
    /// - Returns: The other transports under way; nil if this one was given up before.
    mutating func opened(_ transport: any SyncTransport, showing shown: Digest) -> [any SyncTransport]? {
        guard case .seeking(_, let underWay) = state, underWay.contains(where: { $0 === transport }) else {
            return nil
        }
        state = .open(transport, shown: shown)
        return underWay.filter { $0 !== transport }
    }

    /// Drops the untried routes.
    mutating func giveUpUntried() {
        if case .seeking(_, let underWay) = state { state = .seeking(untried: [], underWay: underWay) }
    }

    /// Notes that the transport has ended.
    ///
    /// - Returns: Whether the transport was open; nil if it was given up before.
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
