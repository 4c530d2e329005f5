import FocusCore
package import FocusDevice
import FocusLink
import FocusSeal

/// The browser's one WebSocket to the server. One transport has it at a time, and the others wait for it.
package final class BrowserSocket {
    /// A request to the browser.
    package enum Request: Hashable, Sendable {
        /// Opens a new WebSocket. An older one has ended.
        case connect
        /// Sends bytes on the newest WebSocket.
        case send([UInt8])
        /// Ends the WebSocket, after the bytes already sent.
        case disconnect
    }

    /// The address of the server, in words.
    let address: String
    let time: any Scheduler
    private let ask: (Request) -> Void
    /// The transport that has the WebSocket.
    private var current: BrowserTransport?
    private var waiting: [BrowserTransport] = []
    /// The number of requests for a WebSocket, and how many of them the browser has got. They wait until changes are
    /// stored, so the browser may still have an older WebSocket.
    private var (asked, begun) = (0, 0)

    /// A closed socket.
    ///
    /// - Parameters:
    ///   - address: The address of the server, in words.
    ///   - ask: Passes a request to the browser.
    package init(to address: String, time: any Scheduler, ask: @escaping (Request) -> Void) {
        self.address = address
        self.time = time
        self.ask = ask
    }

    /// Whether a transport has the WebSocket.
    package var isBusy: Bool { current != nil }

    /// Returns the route over this socket.
    ///
    /// - Parameters:
    ///   - patience: The time that somebody waits for the connection; nil if nobody waits.
    ///   - makeChannel: Makes the channel once the WebSocket is open.
    func route(
        within patience: Duration?, _ makeChannel: @escaping () throws(SealError) -> any SecureChannel
    ) -> Route {
        { driver in
            let transport = BrowserTransport(self, driver, within: patience, makeChannel)
            self.waiting.append(transport)
            self.beginNext()
            return transport
        }
    }

    private func beginNext() {
        guard current == nil, !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        current = next
        asked += 1
        ask(.connect)
        next.begin()
    }

    /// Sends bytes of a transport, unless it has ended.
    fileprivate func send(_ bytes: [UInt8], of transport: BrowserTransport) {
        if transport === current, !bytes.isEmpty { ask(.send(bytes)) }
    }

    /// Ends a transport, and gives the WebSocket to the next one.
    fileprivate func release(_ transport: BrowserTransport) {
        waiting.removeAll { $0 === transport }
        guard transport === current else { return }
        ask(.disconnect)
        current = nil
        // Not now, because a driver may be calling.
        time.schedule(after: .zero) { self.beginNext() }
    }

    // MARK: - Events of the WebSocket

    /// The transport that has the browser's WebSocket; nil if that is an older one.
    private var connected: BrowserTransport? { asked == begun ? current : nil }

    /// Called when the browser has begun to open the WebSocket of the oldest request that it hadn't got yet.
    package func began() { begun += 1 }

    /// Called when the WebSocket is open.
    package func opened() { connected?.socketOpened() }

    /// Called when the WebSocket has received bytes.
    package func received(_ bytes: [UInt8]) { connected?.socketReceived(bytes) }

    /// Called when the WebSocket has closed, or couldn't be opened.
    package func closed() { connected?.socketClosed() }
}

/// A connection to the server over the browser's WebSocket.
private final class BrowserTransport: SyncTransport {
    private enum Stage {
        /// The WebSocket isn't open yet.
        case connecting
        /// The bytes of this channel go over the WebSocket.
        case connected(any SecureChannel)
        case ended
    }

    private let socket: BrowserSocket
    private let driver: SyncDriver
    private let makeChannel: () throws(SealError) -> any SecureChannel
    private let patience: Duration
    private var stage = Stage.connecting
    /// Whether the driver knows that the channel is open.
    private var isOpen = false
    /// The alarm for a channel that doesn't open.
    private var deadline: (any Alarm)?

    /// The longest time until the channel is open.
    private static let patience = Duration.seconds(15)

    init(
        _ socket: BrowserSocket, _ driver: SyncDriver, within patience: Duration?,
        _ makeChannel: @escaping () throws(SealError) -> any SecureChannel
    ) {
        self.socket = socket
        self.driver = driver
        self.makeChannel = makeChannel
        self.patience = min(patience ?? BrowserTransport.patience, BrowserTransport.patience)
    }

    // The browser buffers all bytes, and doesn't say how many it has sent.
    var unsentBytes: Int { 0 }
    var peerDescription: String { socket.address }

    private var channel: (any SecureChannel)? {
        if case .connected(let channel) = stage { channel } else { nil }
    }

    private var isOver: Bool { if case .ended = stage { true } else { false } }

    /// Begins to wait for the WebSocket, which is opening for this transport.
    func begin() {
        deadline = socket.time.schedule(after: patience) { [self] in
            if !isOpen { end(.broken(.network("\(socket.address) doesn't answer"))) }
        }
    }

    func socketOpened() {
        guard case .connecting = stage else { return }
        do throws(SealError) {
            stage = .connected(try makeChannel())
            handleChannel()
        } catch {
            end(.broken(.network(error.description)))
        }
    }

    func socketReceived(_ bytes: [UInt8]) {
        channel?.receive(bytes)
        handleChannel()
    }

    func socketClosed() {
        end(
            .broken(
                .network(isOpen ? "the connection was cut" : "there is no connection to \(socket.address)")))
    }

    /// Passes on the channel's bytes in both directions, and its new state.
    private func handleChannel() {
        guard let channel else { return }
        flush(channel)
        if !isOpen, case .open(let server) = channel.state {
            isOpen = true
            deadline?.cancel()
            driver.opened(self, byServer: server)
        }
        let received = channel.removeReceived()
        if !received.isEmpty, !isOver { driver.received(received, on: self) }
        flush(channel)
        switch channel.state {
        case .handshaking, .open: break
        case .closed: end(.closed)
        case .otherServer: end(.otherServer(socket.address))
        case .otherProtocol: end(.broken(.otherProtocol))
        case .broken(let reason): end(.broken(.network(reason)))
        }
    }

    private func flush(_ channel: any SecureChannel) { socket.send(channel.removeOutgoing(), of: self) }

    /// Ends the transport, and tells the driver. Does nothing if it has ended.
    private func end(_ ending: TransportEnd) {
        guard !isOver else { return }
        leave()
        driver.closed(self, ending)
    }

    private func leave() {
        stage = .ended
        deadline?.cancel()
        socket.release(self)
    }

    // MARK: - Calls of the driver

    func send(_ bytes: [UInt8]) {
        guard let channel, isOpen else { return }
        channel.send(bytes)
        flush(channel)
    }

    func close() {
        if let channel {
            channel.close()
            flush(channel)
        }
        abort()
    }

    func abort() {
        guard !isOver else { return }
        leave()
        // Not now, because the driver is calling.
        socket.time.schedule(after: .zero) { [self] in driver.closed(self, .closed) }
    }
}
