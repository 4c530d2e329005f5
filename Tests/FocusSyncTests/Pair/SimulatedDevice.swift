import FocusCore
import FocusSync

/// The driver of a client's session: a log in memory, presses, and reconnecting.
final class SimulatedDevice {
    let digest: Digest
    private unowned let world: World
    var log: SimulatedLog
    /// The replica that the device writes as.
    var replica: ReplicaID
    /// Every replica that the device has written as.
    var own: Set<ReplicaID>
    /// The invite with which the device joins at its next connection.
    var enrolment: Enrol?
    private let shell: ClientShell
    private var connection: SimulatedServer.Connection?
    private var line: Line?
    private var backoff = Backoff()
    private var isOnline = false

    // Results for the tests to check.
    private(set) var closings: [ClientCloseReason] = []
    private(set) var stops: [Ack.Stop] = []
    private(set) var returns = 0
    private(set) var moves = 0
    private(set) var reauthored = 0
    private(set) var acknowledged: [ReplicaID: UInt64] = [:]
    private var pressed: UInt64 = 0

    init(_ digest: Digest, twinOf twin: SimulatedDevice?, clockError: Duration, world: World) {
        self.world = world
        self.digest = twin?.digest ?? digest
        let fresh = ReplicaID(rawValue: UInt64.random(in: 1 ... .max, using: &world.random))
        replica = twin?.replica ?? fresh
        own = twin?.own ?? [fresh]
        log = twin?.log ?? SimulatedLog()
        shell = ClientShell(
            clock: ClockEstimate(offset: .microseconds(World.epochStart) + clockError))
        world.server.members.insert(digest)
    }

    var isIdle: Bool { shell.isIdle }

    var clock: ClockEstimate { shell.clock }

    /// Writes an event with a body that no other event has, and returns the body.
    @discardableResult
    func press() -> [UInt8] {
        pressed += 1
        var body = Array(digest.bytes.prefix(1))
        body.appendBigEndian(pressed)
        body.appendBigEndian(UInt64.random(in: 0 ... .max, using: &world.random))
        body += [UInt8](repeating: 0, count: SealedEvent.bodyMinimum - body.count)
        let now = clock.shared(world.instant).instant
        let stamp = max(Stamp(rawValue: log.latest.rawValue + 1), Stamp(time: now, counter: 0) ?? .zero)
        log.write(replica, stamp, body)
        feed { $0.localLogChanged(to: self.log.vector) }
        return body
    }

    // MARK: The connection

    func goOnline() {
        isOnline = true
        if shell.isOver { connect() }
    }

    func goOffline() {
        isOnline = false
        disconnect()
    }

    private func connect() {
        guard isOnline, shell.isOver else { return }
        let connection = world.server.connect(self)
        line = Line(
            world, deliver: { [unowned world] in world.server.received($0, on: connection) },
            cut: { [unowned self] in disconnect() })
        // The world owns the devices, and the server owns a connection while its line is open. So `unowned`
        // is safe.
        connection.line = Line(
            world,
            deliver: { [unowned self, unowned connection] bytes in
                feed { $0.received(bytes, at: self.world.instant) }
                world.server.drained(connection)
            }, cut: { [unowned self] in disconnect() })
        self.connection = connection
        let purpose: ClientSession.Purpose =
            if let enrolment { .enrol(enrolment) } else {
                .sync(LocalLog(group: group, vector: log.vector))
            }
        shell.begin(purpose, program: "focus", now: world.instant)
        feed { $0.opened(self.world.instant) }
        wake(connection)
    }

    /// Ends the connection and its session.
    func disconnect() {
        guard let connection else { return }
        line?.isOpen = false
        self.connection = nil
        shell.end()
        world.server.disconnect(connection)
        guard isOnline else { return }
        world.after(backoff.next(using: &world.random).inMicroseconds + 1) { [self] in connect() }
    }

    private func wake(_ connection: SimulatedServer.Connection) {
        guard let deadline = shell.nextDeadline else { return }
        world.after(max(1, deadline.microseconds - world.now)) { [self] in
            guard self.connection === connection else { return }
            feed { $0.tick(self.world.instant) }
            wake(connection)
        }
    }

    // MARK: Performing effects

    private func feed(_ input: (inout ClientSession) -> [ClientEffect]) { shell.feed(input, carryOut) }

    private func carryOut(_ effect: ClientEffect) -> [ClientEffect] {
        switch effect {
        case .send(let bytes): line?.send(bytes)
        case .enrolled:
            enrolment = nil
            return shell.answer { $0.joined(LocalLog(group: group, vector: self.log.vector)) }
        case .connected: backoff.reset()
        case .caughtUp:
            returns += 1
            return answerFromLog(effect)
        case .merge(let segment):
            let merge = log.merge(segment, admission: .all)
            if merge.stop == nil { note(segment.replica, min(merge.head.head.seq, segment.lastSeq)) }
            if merge.taken != nil, segment.replica == replica { takeFreshReplica() }
            return shell.answer { $0.merged(segment.replica, head: merge.head.head, stop: merge.stop) }
        case .read, .chains: return answerFromLog(effect)
        case .moveBranch(let replica, let first):
            moves += 1
            acknowledged[replica] = min(acknowledged[replica] ?? 0, first.seq - 1)
            defer { own.insert(self.replica) }
            return answerFromLog(effect)
        case .reauthor(let request):
            reauthor(request)
            return shell.answer { $0.reauthored(self.log.vector) }
        case .acknowledged(let replica, let seq): note(replica, seq)
        case .stopped(_, let stop): stops.append(stop)
        case .clock, .clockJumped, .clockNotSure, .presence, .revoked, .inviteCreated, .refused, .epoch: break
        case .close(let closing):
            closings.append(closing)
            disconnect()
        }
        return []
    }

    private func answerFromLog(_ effect: ClientEffect) -> [ClientEffect] {
        shell.answer {
            log.answer(effect, to: &$0, writingAs: &replica, at: world.instant) ?? []
        }
    }

    private func note(_ replica: ReplicaID, _ seq: UInt64) {
        acknowledged[replica] = max(acknowledged[replica] ?? 0, seq)
    }

    private func takeFreshReplica() {
        replica = ReplicaID(rawValue: UInt64.random(in: 1 ... .max, using: &world.random))
        own.insert(replica)
    }

    /// Re-authors the events that lie ahead, under a fresh replica.
    private func reauthor(_ request: Reauthoring) {
        var ahead: [SealedEvent] = []
        for replica in own.sorted() {
            let first = log.events[replica]?.first {
                $0.id.seq > request.beyond[replica] ?? 0 && $0.stamp > request.limit
            }
            if let first { ahead += log.cut(replica, from: first.id.seq) }
        }
        ahead.sort { $0.stamp < $1.stamp }
        guard let last = ahead.last else { return }
        takeFreshReplica()
        let lead = last.stamp.time - clock.shared(world.instant).instant
        let shift = UInt64(max(lead, request.error, .zero).inMilliseconds) << 16
        for event in ahead {
            let stamp = max(log.head(replica).stamp.rawValue + 1, event.stamp.rawValue - shift)
            log.write(replica, Stamp(rawValue: stamp), event.body)
            reauthored += 1
        }
    }
}
