import FocusCore
import FocusLink
import FocusServerCore
import FocusSync

/// A connection between a program that an `Interleaver` runs and an `InterleavedServer`. Bytes sent at one
/// end arrive at the other end's loop a little later, in order.
final class InterleavedLink {
    let id: ConnectionID
    let device: Digest
    /// The program that owns the connection; nil if that program can't be killed.
    let program: InterleavedProgram?
    private unowned let server: InterleavedServer
    private let loop: ProgramLoop
    private var driver: SyncDriver?
    /// Whether the connection is open at the server.
    private var isOpen = false
    /// Whether the server has paused reading, and the bytes that have arrived during the pause.
    private var isPaused = false
    private var arrived: [[UInt8]] = []
    /// Whether the program was killed.
    private var isProgramKilled = false
    /// The arrival times of the last bytes sent to the server and to the program, in microseconds.
    private var lastUp: Int64 = 0
    private var lastDown: Int64 = 0
    /// The messages that the server has received and sent, and the group that it has welcomed the device to.
    var received = MessageDecoder()
    var sent = MessageDecoder()
    var group: GroupID?
    private(set) lazy var serverEnd = InterleavedServerEnd(self)

    init(
        _ id: ConnectionID, _ server: InterleavedServer, _ driver: SyncDriver, _ loop: ProgramLoop,
        of program: InterleavedProgram?, as device: Digest
    ) {
        self.id = id
        self.server = server
        self.driver = driver
        self.loop = loop
        self.program = program
        self.device = device
    }

    /// Begins to connect. A server that can't be reached doesn't answer, and the attempt times out.
    func connect() {
        atServer { [self] in
            guard server.isReachable(by: device) else {
                return loop.post(after: 3_000_000) { [self] in
                    end(.broken(.network("the server did not answer")))
                }
            }
            isOpen = true
            server.opened(self)
            atProgram { [self] in driver?.opened(self, byServer: server.key) }
        }
    }

    /// Breaks the connection, as a network failure does.
    func breakConnection() {
        server.network.post { [self] in closeAtServer("connection reset") }
        atProgram { [self] in end(.broken(.network("connection reset"))) }
    }

    /// Ends the connection after its program was killed, as the system does.
    func programEnded() {
        isProgramKilled = true
        atServer { [self] in closeAtServer("connection reset") }
    }

    /// Releases the driver, because the driver and the connection hold each other.
    func releaseReferences() { driver = nil }

    private func delay() -> Int64 { 1_000 + server.randomDelay() }

    private func atServer(_ body: @escaping () -> Void) {
        let now = loop.now().microseconds
        lastUp = max(lastUp, now + delay())
        server.network.post(after: lastUp - now, body)
    }

    private func atProgram(_ body: @escaping () -> Void) {
        let now = loop.now().microseconds
        lastDown = max(lastDown, now + delay())
        loop.post(after: lastDown - now, body)
    }

    private func closeAtServer(_ problem: String?) {
        guard isOpen else { return }
        isOpen = false
        server.closed(self, problem)
    }

    private func end(_ end: TransportEnd) {
        guard let driver else { return }
        self.driver = nil
        driver.closed(self, end)
    }

    // MARK: - The server's end

    fileprivate func sendFromServer(_ bytes: [UInt8]) {
        guard isOpen else { return }
        server.checkSent(bytes, on: self)
        atProgram { [self] in driver?.received(bytes, on: self) }
    }

    fileprivate func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
        if !isPaused { server.network.post { [self] in deliver() } }
    }

    private func deliver() {
        while isOpen, !isPaused, !arrived.isEmpty { server.received(arrived.removeFirst(), on: self) }
    }

    fileprivate func endAtServer() {
        guard isOpen else { return }
        server.ended(self)
        atProgram { [self] in end(.closed) }
        server.network.post { [self] in closeAtServer(nil) }
    }
}

// The driver's side. Nothing that a killed program does has an effect.
extension InterleavedLink: SyncTransport {
    var unsentBytes: Int { 0 }
    var peerDescription: String { "the server" }

    func send(_ bytes: [UInt8]) {
        guard driver != nil, !isProgramKilled else { return }
        atServer { [self] in
            arrived.append(bytes)
            deliver()
        }
    }

    func close() { disconnect(.closed, nil) }

    func abort() { disconnect(.broken(.network("aborted")), "connection reset") }

    private func disconnect(_ end: TransportEnd, _ problem: String?) {
        guard driver != nil, !isProgramKilled else { return }
        atServer { [self] in closeAtServer(problem) }
        loop.post { [self] in self.end(end) }
    }
}

/// The server's end of a link, as the switchboard sees it.
final class InterleavedServerEnd: ClientConnection {
    private unowned let link: InterleavedLink

    init(_ link: InterleavedLink) { self.link = link }

    var id: ConnectionID { link.id }
    let unsentBytes = 0
    let heldBytes = 0
    var peerDescription: String { "program" }
    var peerBlock: AddressBlock { .local }
    let shownKey: Digest? = nil

    func send(_ bytes: [UInt8]) { link.sendFromServer(bytes) }

    func pauseReading() { link.setPaused(true) }

    func resumeReading() { link.setPaused(false) }

    func close() { link.endAtServer() }

    func close(within time: Duration) { link.endAtServer() }

    func abort() { link.endAtServer() }
}
