import FocusCore
import FocusNet
import FocusServerCore
import FocusSync

/// An attacker's connections: any number of them, with any of its keys.
final class HostileConnections {
    private unowned let world: World
    private unowned let server: ServerMachine
    private let source: SourceID
    /// The attacker's name in the trace.
    let name: String
    private var lines: [ConnectionID: HostileLine] = [:]
    /// Called with each message on a connection that reads what the server sends.
    var didReceive: (Message, HostileLine) -> Void = { _, _ in }

    /// The greatest number of connections at once.
    private static let limit = 24

    init(_ world: World, _ server: ServerMachine, of name: String) {
        self.world = world
        self.server = server
        self.name = name
        source = world.source()
    }

    /// All connections, the oldest first.
    var all: [HostileLine] { lines.values.sorted { $0.id < $1.id } }

    /// Connects with a key, and returns the connection; nil if the server is down, stands still or takes no
    /// more connections.
    ///
    /// - Parameter reads: Whether the connection reads what the server sends.
    func open(_ key: Digest, reads: Bool = true) -> HostileLine? {
        guard server.isUp, lines.count < HostileConnections.limit else { return nil }
        let line = HostileLine(
            self, world, world.nextConnection(), key, shown: server.shownKey, reads: reads)
        lines[line.id] = line
        guard server.connected(line) else {
            lines[line.id] = nil
            return nil
        }
        return line
    }

    /// Delivers bytes to the server.
    func deliver(_ bytes: [UInt8], on line: HostileLine) {
        line.serverEnd.recordReceived(bytes, &world.reach)
        server.received(bytes, on: line)
    }

    /// Handles a message from the server.
    func received(_ message: Message, on line: HostileLine) {
        later(after: 300, on: line) { $0.didReceive(message, line) }
    }

    /// Runs the body after `delay` microseconds, if the connection still exists.
    func later(
        after delay: Int64, on line: HostileLine, _ body: @escaping (HostileConnections) -> Void
    ) {
        world.schedule(at: world.now + delay, by: source) { [weak self, weak line] in
            guard let self, let line, lines[line.id] === line else { return }
            body(self)
        }
    }

    /// Ends the connection, at this end or the server's.
    func end(_ line: HostileLine) {
        guard lines.removeValue(forKey: line.id) != nil else { return }
        world.schedule(at: world.now, by: source) { [weak self] in self?.server.disconnected(line) }
    }

    /// Forgets all connections, because the server has stopped.
    func serverStopped() { lines = [:] }
}

/// One of an attacker's connections, with both ends. The server calls the methods of `ClientConnection`, such
/// as `send`. The attacker calls `say`, `ask`, `greet` and `hangUp`.
final class HostileLine: ClientConnection {
    private unowned let owner: HostileConnections
    private unowned let world: World
    let id: ConnectionID
    let key: Digest
    let shownKey: Digest?
    /// Whether it reads what the server sends.
    let reads: Bool
    let peerBlock = AddressBlock(address: [192, 0, 2, 66])
    private(set) var unsentBytes = 0
    let heldBytes = 0
    /// Whether an endless frame was begun on it. All later messages then become part of that frame.
    var isInsideFrame = false
    private var decoder = FrameDecoder()
    /// The check of the server's messages against the protocol. The server must keep to the protocol towards
    /// attackers too.
    var serverEnd = ServerConversation()
    /// The number of the last request about the group; 0 before the first.
    private var lastRequest: UInt64 = 0
    /// The tokens of the invites that were asked for on it and have no answer yet.
    var tokens: [RequestNumber: [UInt8]] = [:]
    private var isPaused = false
    /// The bytes that haven't reached the server yet.
    private var undelivered = Fifo<(bytes: [UInt8], isAlone: Bool)>()
    private var isDelivering = false

    /// The number of bytes that arrive at once. The last message may exceed it.
    private static let chunkSize = 512 << 10

    /// The longest body of an epoch's record that an attacker makes, in bytes.
    static let longestRecord = 20_000
    /// The most bytes that a server may hold for a connection that reads nothing: the protocol's limit and
    /// two reads under way. Reads of events stay within `Limits.read`; the last record of a read may exceed
    /// it.
    private static let mostUnsent = Limits.unsent + 2 * Limits.read + longestRecord + 1_000

    init(
        _ owner: HostileConnections, _ world: World, _ id: ConnectionID, _ key: Digest, shown: Digest,
        reads: Bool
    ) {
        self.owner = owner
        self.world = world
        self.id = id
        self.key = key
        shownKey = shown
        self.reads = reads
    }

    var peerDescription: String { owner.name }

    /// Sends a message to the server.
    func say(_ message: Message) { say(bytes: message.encoded()) }

    /// Sends a request about the group, numbered as a laptop's are.
    ///
    /// - Returns: Its number.
    @discardableResult
    func ask(_ request: GroupRequest) -> RequestNumber {
        lastRequest += 1
        let number = RequestNumber(lastRequest)
        say(.request(number, request))
        return number
    }

    /// Sends bytes to the server.
    ///
    /// - Parameter isAlone: Whether the bytes arrive apart from the following ones.
    func say(bytes: [UInt8], isAlone: Bool = false) {
        undelivered.append((bytes, isAlone))
        deliverPending()
    }

    /// Delivers waiting bytes a moment later, if the server reads from this connection. A connection never
    /// calls the server from within the server's call.
    private func deliverPending() {
        guard !isDelivering, !isPaused, undelivered.first != nil else { return }
        isDelivering = true
        owner.later(after: 200, on: self) { [unowned self] owner in
            isDelivering = false
            guard !isPaused else { return }
            var bytes: [UInt8] = []
            while bytes.count < HostileLine.chunkSize, let more = undelivered.popFirst() {
                bytes += more.bytes
                if more.isAlone { break }
            }
            owner.deliver(bytes, on: self)
            deliverPending()
        }
    }

    /// Sends a hello, which begins every connection.
    func greet(_ purpose: Hello.Purpose) {
        let hello = Hello(versions: [.one], purpose: purpose, sent: .zero, program: owner.name)
        say(bytes: Message.hello(hello).encoded(), isAlone: true)
    }

    func hangUp() { owner.end(self) }

    /// Receives bytes that the server sends.
    func send(_ bytes: [UInt8]) {
        let breach = serverEnd.checkSent(bytes)
        world.require(breach == nil, "a server keeps to the protocol") { "\(breach ?? "") to \(owner.name)" }
        guard reads else {
            unsentBytes += bytes.count
            return world.require(
                unsentBytes <= HostileLine.mostUnsent, "a server doesn't pile up what nobody takes"
            ) { "\(unsentBytes) bytes for \(owner.name)" }
        }
        decoder.append(bytes[...])
        while let frame = try? decoder.next() {
            if let message = try? Message(frame) { owner.received(message, on: self) }
        }
    }

    func pauseReading() { isPaused = true }

    func resumeReading() {
        isPaused = false
        deliverPending()
    }

    func close() { close(within: ConnectionLimits().closing) }

    /// Ends the connection. If it reads nothing, it doesn't read the server's goodbye either, so the server
    /// waits until `time` is over.
    func close(within time: Duration) {
        guard unsentBytes > 0 else { return owner.end(self) }
        owner.later(after: Int64(time / .microseconds(1)), on: self) { [unowned self] in $0.end(self) }
    }

    func abort() { owner.end(self) }
}
