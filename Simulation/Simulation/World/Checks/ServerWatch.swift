import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync

/// A connection of the server, as its messages show it.
private final class SeenConnection {
    let line: any ClientConnection
    let key: Digest
    /// Whether either side has ended it.
    var isOver = false
    /// The group that welcomed it; nil if none has.
    var group: GroupID?
    /// Whether it has ever proposed a successor of an epoch.
    var hasProposedSuccessor = false
    var received = MessageDecoder()
    var sent = MessageDecoder()

    init(_ line: any ClientConnection, _ key: Digest) { (self.line, self.key) = (line, key) }
}

/// Observes the messages that the network's thread of a server receives and sends, in one life of the server.
final class ServerWatch {
    private unowned let machine: ServerMachine
    private var world: World { machine.world }
    /// The number of the server, if several share a store; otherwise nil.
    private let number: Int64?
    private let store: CheckedStore
    /// The connections that aren't closed at the client's end.
    private var connections: [ConnectionID: SeenConnection] = [:]
    private var revocations: RevocationCheck
    private var commitOrder = CommitOrderCheck()
    /// Whether the network's thread is handling answers of the reader.
    private var isHandlingReaderAnswers = false
    /// Whether the server was told to stop.
    var isStopping = false

    init(_ machine: ServerMachine, _ devices: [StoredDevice], as number: Int64?) {
        self.machine = machine
        self.number = number
        store = CheckedStore(on: machine.disk)
        revocations = RevocationCheck(devices)
    }

    private func require(_ trouble: String?, _ rule: String) {
        world.require(trouble == nil, rule) { trouble ?? "" }
    }

    /// Runs `body`, in which the network's thread handles answers of the reader.
    func handleReaderAnswers(_ body: () -> Void) {
        isHandlingReaderAnswers = true
        body()
        isHandlingReaderAnswers = false
    }

    /// Records an outcome that the network's thread is about to process.
    func record(_ commit: CommitOutcome) { revocations.record(commit.answers) }

    // MARK: - Connections

    /// Records a new connection.
    ///
    /// - Returns: The connection that the switchboard gets.
    func accept(_ line: any ClientConnection, _ key: Digest) -> WatchedConnection {
        connections[line.id] = SeenConnection(line, key)
        return WatchedConnection(line, self)
    }

    /// Records that the server ends a connection.
    func recordEnd(of connection: ConnectionID) {
        connections[connection]?.isOver = true
        commitOrder.recordEnd(of: connection)
    }

    /// Records that a connection is closed at the client's end, or was turned away.
    func recordClosed(_ connection: ConnectionID) {
        connections[connection] = nil
        commitOrder.recordEnd(of: connection)
    }

    /// Checks that a device that any server or a command has revoked loses its connections at all servers
    /// within 5 seconds. Called once a second.
    func checkRevoked() {
        guard let database = machine.database, !isStopping else { return }
        let revoked = database.revocations()
        let stays = connections.values.compactMap { seen -> String? in
            guard !seen.isOver, let since = seen.group.flatMap({ revoked[$0]?[seen.key] }) else { return nil }
            let time = world.now - max(since, database.healthySince(machine.index))
            return time > .seconds(5)
                ? "\(seen.key.short) is still connected after \(time / 1_000_000) s" : nil
        }
        require(stays.min(), "a revoked device loses its connections at all servers")
    }

    // MARK: - Messages

    /// Records bytes that arrive at the server.
    func recordReceived(_ bytes: [UInt8], on connection: ConnectionID) {
        guard let seen = connections[connection] else { return }
        for message in seen.received.readUntilInvalid(bytes) {
            switch message {
            case .request(_, .successor): seen.hasProposedSuccessor = true
            case .upload(let segment):
                guard let group = seen.group, !seen.isOver else { continue }
                commitOrder.recordUpload(segment, of: group, on: connection)
            default: break
            }
        }
    }

    /// Checks bytes that the server sends.
    func checkSent(_ bytes: [UInt8], on connection: ConnectionID) {
        guard let seen = connections[connection], !seen.isOver else { return }
        let isStuck = seen.line.unsentBytes > Limits.unsent && world.host == nil
        for message in seen.sent.readUntilInvalid(bytes) {
            require(
                isStuck && isUnrequested(message, seen) ? "\(seen.line.unsentBytes) bytes are unsent" : nil,
                "a connection with too many unsent bytes gets only answers")
            switch message {
            case .welcome(let welcome):
                seen.group = welcome.group
                require(
                    revocations.isRevoked(seen.key, in: welcome.group) ? seen.line.peerDescription : nil,
                    "a revoked device isn't welcomed")
                check(welcome)
            case .revoked(let device):
                require(
                    revocations.check(device, toldTo: seen.group),
                    "only a group's own connections are told of its revoked devices")
            case .ack(let ack): commitOrder.recordAck(ack, on: connection)
            case .push(let segment): checkPush(segment, to: seen)
            case .error: recordEnd(of: connection)
            default: break
            }
        }
    }

    /// Checks that a welcome only names epochs with a record on the server that has a body.
    private func check(_ welcome: Welcome) {
        guard let (number, _) = store.groups()?[welcome.group], let epochs = store.epochs(ofGroup: number)
        else { return }
        let named = welcome.epochs.filter { epochs[$0].map { $0.body == 0 } ?? true }
        require(
            named.isEmpty ? nil : "\(named.count) of \(welcome.epochs.count)",
            "a welcome names no epoch that has no record")
    }

    /// Whether the server sends the message without a request for it. On a connection with more than
    /// `Limits.unsent` unsent bytes, only answers to requests are allowed.
    private func isUnrequested(_ message: Message, _ seen: SeenConnection) -> Bool {
        switch message {
        case .presence: true
        case .push: !isHandlingReaderAnswers
        case .epoch: !isHandlingReaderAnswers && !seen.hasProposedSuccessor
        default: false
        }
    }

    private func checkPush(_ segment: Segment, to seen: SeenConnection) {
        guard let group = seen.group, let early = commitOrder.early(segment, of: group) else { return }
        // An event that the reader has read is on the disk. The writer may not have reported its commit yet.
        if isHandlingReaderAnswers { return world.reach.count(.round, "read before it is acknowledged") }
        // This server may push at once an event that another server stored, or that it stored itself in an
        // unconfirmed commit: it learns of both as news.
        if let database = machine.database {
            let keeper = database.keeper(of: segment.replica, segment.lastSeq)
            if keeper?.server != number || keeper?.isAnswered != true { return }
        }
        require("\(early)", "an upload is acknowledged before its events are pushed")
    }
}

/// The server's end of a connection, as the switchboard gets it. It reports to the `ServerWatch` what the
/// server sends, and when the server ends the connection.
final class WatchedConnection: ClientConnection {
    private let line: any ClientConnection
    private unowned let watch: ServerWatch

    init(_ line: any ClientConnection, _ watch: ServerWatch) {
        self.line = line
        self.watch = watch
    }

    var id: ConnectionID { line.id }
    var unsentBytes: Int { line.unsentBytes }
    var heldBytes: Int { line.heldBytes }
    var peerDescription: String { line.peerDescription }
    var peerBlock: AddressBlock { line.peerBlock }
    var shownKey: Digest? { line.shownKey }

    func send(_ bytes: [UInt8]) {
        watch.checkSent(bytes, on: id)
        line.send(bytes)
    }

    func pauseReading() { line.pauseReading() }
    func resumeReading() { line.resumeReading() }

    func close() {
        watch.recordEnd(of: id)
        line.close()
    }

    func close(within time: Duration) {
        watch.recordEnd(of: id)
        line.close(within: time)
    }

    func abort() {
        watch.recordEnd(of: id)
        line.abort()
    }
}
