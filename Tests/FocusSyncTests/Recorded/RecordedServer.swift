import FocusCore
import FocusSeal
import FocusSync

/// The driver of today's server sessions in a recording: a log in memory that commits at once.
final class RecordedServer {
    private var log: RecordedLog
    private var sessions: [String: Connection] = [:]
    private var members: Set<Digest> = []
    private var revoked: Set<Digest> = []
    private var epochs: [EpochRecord] = []
    /// The frames that the server has sent to devices, in order.
    private(set) var said: [(place: String, frame: [UInt8])] = []
    private var time: Int64 = 0

    private final class Connection {
        var session: ServerSession
        let device: Digest
        init(_ session: consuming ServerSession, _ device: Digest) {
            self.session = session
            self.device = device
        }
    }

    init() throws(RecordedFailure) { log = RecordedLog(hashing: try RecordedWorld.hashing()) }

    private var now: ServerTime {
        ServerTime(
            steady: SteadyInstant(microseconds: time),
            shared: SharedReading(microseconds: RecordedWorld.start + time))
    }

    /// The places of the connections, in a fixed order.
    private var places: [String] { sessions.keys.sorted() }

    /// Returns the frames sent since the last call.
    func takeSaid() -> [(place: String, frame: [UInt8])] {
        defer { said = [] }
        return said
    }

    func opened(_ place: String, at time: Int64) {
        self.time = time
        let device = RecordedClient.device(place)
        let admitted: ServerSession.Standing =
            members.contains(device) ? .member(RecordedWorld.group) : .unknown
        let standing = revoked.contains(device) ? .revoked : admitted
        sessions[place] = Connection(
            ServerSession(device: device, standing: standing, program: "focusd 0.1.0", now: now), device)
    }

    func received(_ frame: [UInt8], from place: String, at time: Int64) {
        self.time = time
        tell(place) { $0.session.received(frame[...], at: self.now) }
    }

    /// Performs an operator's action: `stop` or `forget`. The latter keeps nothing except the membership of
    /// device A.
    func happens(_ event: String, at time: Int64) {
        self.time = time
        switch event {
        case "stop":
            let refusal = Refusal(.shuttingDown, "the server is shutting down", retry: .after(.seconds(1)))
            for place in places { tell(place) { $0.session.refuse(refusal) } }
        case "forget":
            for replica in log.vector.heads.keys { _ = log.cut(replica, from: 1) }
            epochs = []
            members = [RecordedClient.device("A")]
        default: break
        }
    }

    private func tell(_ place: String, _ input: (Connection) -> [ServerEffect]) {
        guard let connection = sessions[place] else { return }
        var left = input(connection)[...]
        while let effect = left.popFirst() { left += carryOut(effect, place, connection) }
    }

    private func carryOut(_ effect: ServerEffect, _ place: String, _ connection: Connection) -> [ServerEffect]
    {
        switch effect {
        case .send(let bytes):
            said += RecordedSession.frames(bytes).map { (place, $0) }
            return connection.session.unsentBytesChanged(to: 0)
        case .reading: return []
        case .turn: return connection.session.beginTurn()
        case .enrol(let enrol):
            members.insert(connection.device)
            if case .bring(_, let epoch) = enrol.kind {
                epochs = [EpochRecord(naming: epoch)]
            }
            let bundle = enrol.kind == .join ? [UInt8](repeating: 0x42, count: 48) : []
            return connection.session.enrolled(Enrolled(group: RecordedWorld.group, bundle: bundle))
        case .enter:
            let known = members.union(revoked).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            let welcome = Welcome(
                group: RecordedWorld.group, vector: log.vector, latest: log.latest,
                roster: known.map { RosterEntry(device: $0, isRevoked: revoked.contains($0)) },
                epochs: epochs.filter { !$0.body.isEmpty }.map { $0.epoch },
                presence: known.map {
                    Presence(
                        device: $0, isConnected: $0 == connection.device,
                        lastSeen: SharedInstant(milliseconds: RecordedWorld.start / 1000)
                    )
                }, nextServerKey: nil)
            let effects = connection.session.entered(welcome)
            announce(connection.device, isConnected: true, but: place)
            return effects
        case .merge(let segment): return merge(segment, connection)
        case .ask(let number, let request):
            return perform(request, of: connection) + connection.session.answered(number, .done)
        case .entered: return []
        case .read(let replica, let from, let bytes):
            return connection.session.loaded(
                replica, log.read(replica, from: from, bytes: bytes), head: log.head(replica).head.seq)
        case .chains(let replica, let seqs):
            return connection.session.chains(replica, log.heads(replica, at: seqs))
        case .readEpochs(let asked, _):
            let records = asked.compactMap { epoch in epochs.first { $0.epoch == epoch } }
            return connection.session.loaded(records, lookedUp: asked.count)
        case .close:
            sessions[place] = nil
            announce(connection.device, isConnected: false, but: place)
            return []
        }
    }

    /// Performs a request, and tells all connections of what has changed. The answer follows.
    private func perform(_ request: GroupRequest, of connection: Connection) -> [ServerEffect] {
        func announceChanges(_ input: (Connection) -> [ServerEffect]) {
            for other in places where sessions[other] !== connection { tell(other, input) }
        }
        switch request {
        case .createInvite: return []
        case .revoke(let device):
            revoked.insert(device)
            announceChanges { $0.session.revoked(device) }
            return connection.session.revoked(device)
        case .roster(let roster):
            for entry in roster {
                members.insert(entry.device)
                if entry.isRevoked { revoked.insert(entry.device) }
            }
            return []
        case .epoch(let record):
            keep(record)
            announceChanges { $0.session.epoch(EncodedEpochRecord(record)) }
            return []
        case .successor(let record, _):
            keep(record)
            announceChanges { $0.session.epoch(EncodedEpochRecord(record)) }
            return connection.session.epoch(EncodedEpochRecord(record))
        }
    }

    private func keep(_ record: EpochRecord) {
        epochs.removeAll { $0.epoch == record.epoch }
        epochs.append(record)
    }

    private func merge(_ segment: Segment, _ connection: Connection) -> [ServerEffect] {
        let merge = log.merge(segment, admission: .server(now: now.shared?.instant, latest: log.latest))
        var effects = connection.session.merged(
            segment.replica, head: merge.head.head, stop: merge.stop.map { Ack.Stop(code: $0) })
        guard let taken = merge.taken else { return effects }
        let push = EncodedPush(taken)
        effects += connection.session.committed(push)
        for place in places where sessions[place] !== connection {
            tell(place) { $0.session.committed(push) }
        }
        return effects
    }

    private func announce(_ device: Digest, isConnected: Bool, but place: String) {
        let change = Presence(
            device: device, isConnected: isConnected,
            lastSeen: SharedInstant(milliseconds: (RecordedWorld.start + time) / 1000))
        for other in places where other != place { tell(other) { $0.session.presence([change]) } }
    }
}
