import FocusCore
import FocusNet
import FocusServing
import FocusSync
import FocusWriter

/// The connections of somebody who means harm: as many as it likes, of any of its keys.
final class HostileConnections {
    private unowned let world: World
    private unowned let server: ServerMachine
    private let source: SourceID
    /// Who it is, for people.
    let name: String
    private var lines: [ConnectionID: HostileLine] = [:]
    /// Is told what the server says on those where it is listened to.
    var hear: (Message, HostileLine) -> Void = { _, _ in }

    /// So many connections there are at once at most, but in a crowd.
    private static let limit = 24
    private static let crowd = 100

    init(_ world: World, _ server: ServerMachine, of name: String) {
        self.world = world
        self.server = server
        self.name = name
        source = world.source()
    }

    /// All of them, the oldest first.
    var all: [HostileLine] { lines.values.sorted { $0.id < $1.id } }

    /// Connects with a key; nil where the server is down or takes no more.
    ///
    /// - Parameters:
    ///   - takes: whether what the server says is taken.
    ///   - proves: whether it proves to hold the key, or leaves it at that.
    ///   - host: where it comes from, within one network.
    ///   - inCrowd: whether it comes beside as many others as there are.
    func open(
        _ key: Digest, takes: Bool = true, proves: Bool = true, from host: UInt8 = 66, inCrowd: Bool = false
    ) -> HostileLine? {
        guard server.isUp,
            lines.count < (inCrowd ? HostileConnections.crowd : HostileConnections.limit)
        else { return nil }
        let line = HostileLine(
            self, world, world.nextConnection(), key, shown: server.shownKey, takes: takes, proves: proves,
            from: host)
        lines[line.id] = line
        guard server.connected(line) else {
            lines[line.id] = nil
            return nil
        }
        // Whoever accepts connections waits no longer for that.
        if !proves { later(after: .seconds(10), on: line) { $0.end(line) } }
        return line
    }

    /// Bytes come to the server.
    func deliver(_ bytes: [UInt8], on line: HostileLine) {
        line.serverEnd.receives(bytes, &world.reach)
        server.received(bytes, on: line)
    }

    /// The server has said something.
    func received(_ message: Message, on line: HostileLine) {
        if case .welcome(let welcome) = message { server.check(welcome) }
        later(after: 300, on: line) { $0.hear(message, line) }
    }

    /// Does something later, where the connection is still there.
    func later(
        after delay: Int64, on line: HostileLine, _ body: @escaping (HostileConnections) -> Void
    ) {
        world.schedule(at: world.now + delay, by: source) { [weak self, weak line] in
            guard let self, let line, lines[line.id] === line else { return }
            body(self)
        }
    }

    /// The connection is over at this end, or the server's.
    func end(_ line: HostileLine) {
        guard lines.removeValue(forKey: line.id) != nil else { return }
        world.schedule(at: world.now, by: source) { [weak self] in self?.server.disconnected(line) }
    }

    /// The server has stopped: nothing is left of its connections.
    func serverStopped() { lines = [:] }
}

/// One of them, as the switchboard has it.
final class HostileLine: ClientConnection {
    private unowned let owner: HostileConnections
    private unowned let world: World
    let id: ConnectionID
    let key: Digest
    let shownKey: Digest?
    /// Whether it takes what the server sends.
    let takes: Bool
    /// Whether it has proved to hold its key.
    let proves: Bool
    let peerBlock: AddressBlock
    private(set) var unsentBytes = 0
    let heldBytes = 0
    /// Whether a frame was begun on it that never ends: whatever else is said is a part of that.
    var isSpoilt = false
    private var decoder = FrameDecoder()
    /// What the server says here, too, is held against the protocol.
    var serverEnd = ServerConversation()
    private var isPaused = false
    /// What was said and hasn't come to the server.
    private var unheard = Fifo<(bytes: [UInt8], isAlone: Bool)>()
    private var isUnderWay = false

    /// So many bytes come at once, or little more.
    private static let piece = 512 << 10

    /// The longest record of an epoch that anybody makes here.
    static let longestRecord = 20_000
    /// What a server may have for somebody who takes nothing: what it says before it looks, and what it had begun to
    /// read. Events are read up to a bound, and records until they are beyond it.
    private static let mostUnsent = Limits.unsent + 2 * Limits.read + longestRecord + 1_000

    init(
        _ owner: HostileConnections, _ world: World, _ id: ConnectionID, _ key: Digest, shown: Digest,
        takes: Bool, proves: Bool, from host: UInt8
    ) {
        self.owner = owner
        self.world = world
        self.id = id
        self.key = key
        shownKey = shown
        self.takes = takes
        self.proves = proves
        peerBlock = AddressBlock(address: [192, 0, 2, host])
    }

    var peerDescription: String { owner.name }

    func say(_ message: Message) { say(bytes: message.encoded()) }

    /// - Parameter isAlone: whether what follows comes later.
    func say(bytes: [UInt8], isAlone: Bool = false) {
        guard proves else { return }
        unheard.append((bytes, isAlone))
        comeOut()
    }

    /// What was said goes out a moment later, as far as the server reads: a connection never calls the server from within
    /// the server's call.
    private func comeOut() {
        guard !isUnderWay, !isPaused, unheard.first != nil else { return }
        isUnderWay = true
        owner.later(after: 200, on: self) { [unowned self] owner in
            isUnderWay = false
            guard !isPaused else { return }
            var bytes: [UInt8] = []
            while bytes.count < HostileLine.piece, let more = unheard.popFirst() {
                bytes += more.bytes
                if more.isAlone { break }
            }
            owner.deliver(bytes, on: self)
            comeOut()
        }
    }

    /// Says hello, as every connection begins.
    func greet(_ purpose: Hello.Purpose) {
        let hello = Hello(versions: [.one], purpose: purpose, sent: .zero, program: owner.name)
        say(bytes: Message.hello(hello).encoded(), isAlone: true)
    }

    func hangUp() { owner.end(self) }

    func send(_ bytes: [UInt8]) {
        let breach = serverEnd.sends(bytes, at: world.now)
        world.require(breach == nil, "a server keeps to the protocol") { "\(breach ?? "") to \(owner.name)" }
        guard takes else {
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
        comeOut()
    }

    func close() { close(within: ConnectionLimits().closing) }

    /// Whoever takes nothing doesn't take its goodbye either, and is waited for.
    func close(within time: Duration) {
        guard unsentBytes > 0 else { return owner.end(self) }
        owner.later(after: Int64(time / .microseconds(1)), on: self) { [unowned self] in $0.end(self) }
    }

    func abort() { owner.end(self) }
}
