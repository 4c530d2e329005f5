import FocusCore
import FocusSync
import TestSupport

/// The driver of the server's sessions: a log in memory, and a writer that commits a batch every millisecond.
final class SimulatedServer {
    /// A connection, on the server's side.
    final class Connection {
        var session: ServerSession
        let id: Int
        unowned let device: SimulatedDevice
        var line: Line?
        var isReading = true
        /// The bytes that arrived while reading was paused.
        var held: [ArraySlice<UInt8>] = []

        init(_ session: consuming ServerSession, id: Int, device: SimulatedDevice) {
            self.session = session
            self.id = id
            self.device = device
        }
    }

    private unowned let world: World
    var log = SimulatedLog()
    var members: Set<Digest> = []
    var tokens: Set<[UInt8]> = []
    private(set) var connections: [Connection] = []
    private var handedIn: [(Connection, Segment)] = []
    private var opened = 0
    private(set) var pushes = 0
    /// The number of events that a key may write within a second; nil if there is no limit.
    var rate: Int?
    private var written: [Digest: Int] = [:]
    private var second: Int64 = 0
    /// The number of uploads received.
    private(set) var uploads = 0

    init(_ world: World) { self.world = world }

    var time: ServerTime {
        ServerTime(steady: world.instant, shared: SharedReading(microseconds: World.epochStart + world.now))
    }

    func connect(_ device: SimulatedDevice) -> Connection {
        opened += 1
        let session = ServerSession(
            device: device.digest, standing: members.contains(device.digest) ? .member(group) : .unknown,
            program: "focusd", now: time)
        let connection = Connection(session, id: opened, device: device)
        connections.append(connection)
        wake(connection)
        return connection
    }

    func disconnect(_ connection: Connection) {
        connections.removeAll { $0 === connection }
        connection.line?.isOpen = false
        handedIn.removeAll { $0.0 === connection }
    }

    func received(_ bytes: ArraySlice<UInt8>, on connection: Connection) {
        guard connection.isReading else { return connection.held.append(bytes) }
        carryOut(connection.session.received(bytes, at: time), on: connection)
    }

    /// Replaces the log by an earlier one, as an operator does from a backup.
    func restore(_ earlier: SimulatedLog) {
        for connection in connections { connection.device.disconnect() }
        log = earlier
    }

    private func wake(_ connection: Connection) {
        guard let deadline = connection.session.nextDeadline else { return }
        world.after(max(1, deadline.microseconds - world.now)) { [self] in
            guard connections.contains(where: { $0 === connection }) else { return }
            carryOut(connection.session.tick(time), on: connection)
            wake(connection)
        }
    }

    private func carryOut(_ effects: [ServerEffect], on connection: Connection) {
        var left = effects[...]
        while let effect = left.popFirst() { left += carryOut(effect, on: connection) }
    }

    private func carryOut(_ effect: ServerEffect, on connection: Connection) -> [ServerEffect] {
        if let wanted = log.answer(effect, to: &connection.session) { return wanted }
        switch effect {
        case .send(let bytes):
            connection.line?.send(bytes)
            return connection.session.unsent(connection.line?.unsent ?? 0)
        case .reading(let reads):
            connection.isReading = reads
            guard reads else { return [] }
            let held = connection.held
            connection.held = []
            return held.flatMap { connection.session.received($0, at: time) }
        case .turn: return connection.session.goOn()
        case .enrol(let enrol):
            guard tokens.contains(enrol.token) else {
                return connection.session.refuse(Refusal(.tokenInvalid, "no such invite"))
            }
            members.insert(connection.device.digest)
            return connection.session.enrolled(Enrolled(group: group, bundle: [7]))
        case .enter:
            let welcome = Welcome(
                group: group, vector: log.vector, latest: log.latest, roster: [], epochs: [], presence: [],
                nextServerKey: nil)
            return connection.session.entered(welcome)
        case .merge(let segment):
            if handedIn.isEmpty { world.after(1_000) { [self] in commit() } }
            uploads += 1
            handedIn.append((connection, segment))
            return []
        case .ask(.createInvite(let request)):
            return connection.session.answered(.inviteCreated(request.tokenHash))
                + connection.session.answered(.handled)
        case .ask: return connection.session.answered(.handled)
        case .readEpochs(let epochs, _): return connection.session.loaded([], lookedUp: epochs.count)
        case .entered, .read, .chains: return []
        case .close:
            connection.line?.finish()
            return []
        }
    }

    private func commit() {
        let batch = handedIn
        handedIn = []
        let admission = Admission.server(now: time.shared?.instant, latest: log.latest)
        let merges = batch.map { ($0, $1, merge($1, by: $0.device.digest, admission)) }
        for (connection, segment, merge) in merges {
            let stop = merge.stop.map { Ack.Stop(code: $0, after: $0 == .rate ? 1_000 : nil) }
            carryOut(
                connection.session.merged(segment.replica, head: merge.head.head, stop: stop), on: connection)
        }
        for taken in merges.compactMap(\.2.taken) {
            let push = EncodedPush(taken)
            for connection in connections {
                let effects = connection.session.committed(push)
                pushes += effects.count { $0 == .send(push.frame) }
                carryOut(effects, on: connection)
            }
        }
    }

    /// Merges an upload. If its device has reached the rate, refuses it without comparing anything.
    private func merge(_ segment: Segment, by device: Digest, _ admission: Admission) -> SegmentMerge {
        if second != world.now / 1_000_000 { written = [:] }
        second = world.now / 1_000_000
        if let rate, written[device, default: 0] >= rate {
            return SegmentMerge(head: log.head(segment.replica), taken: nil, stop: .rate)
        }
        let merge = log.merge(segment, admission: admission)
        written[device, default: 0] += merge.taken?.count ?? 0
        return merge
    }

    /// Tells the session how much of its output is still unsent.
    func drained(_ connection: Connection) {
        carryOut(connection.session.unsent(connection.line?.unsent ?? 0), on: connection)
    }
}
