import FocusCore
package import FocusDevice
package import FocusStore
package import FocusSync

/// One connection to the server, from connecting to its end: carries out what its `ClientSession` asks for.
///
/// It lives on one thread. Its observer, who keeps it rather than is kept, is told what happens, `ended` last.
package final class SyncDriver {
    let time: any Timekeeper
    let store: DeviceStore
    private(set) weak var observer: (any SyncObserver)?
    var session: ClientSession
    var group: SealedLog?
    var route: RouteToServer
    var wakeUp: (any Alarm)?
    /// When the next route is tried beside those under way.
    var nextAttempt: (any Alarm)?
    var effects = Fifo<ClientEffect>()
    var isPerforming = false
    /// Whether something was sent since the session was last told how much is unsent.
    var hasSent = false
    var replaying = ReplayPacing()
    var keyPacing = KeyPacing()
    let secrets: DeviceSecrets
    var rotation: KeyRotation
    var told = ToldRevocations()
    var traffic = SyncTraffic()
    /// Whether people were told that the server sends more that can't be read than this device keeps.
    var hasToldOfExcess = false
    /// Whether it is recorded that the server takes nothing.
    var isStopped = false
    /// Whether the server has said that it has more, and the observer wasn't told so yet.
    var hasAcknowledged = false
    /// Which of the group's devices were connected, and when each was last seen, as the welcome said.
    var presence: [Presence] = []
    /// The devices of the group that this device keeps.
    var listed = ListedDevices()
    /// Those that the server has said on this connection it keeps out: a record that says so of others changes nothing there.
    var keptOut: Set<Digest> = []
    var acknowledged = AcknowledgedSeqs()
    /// Why the connection is being given up; the first reason counts.
    var end: SyncEnd?

    /// A connection to be made to a server.
    ///
    /// - Parameters:
    ///   - purpose: to sync the group's log, or to be let into a group first.
    ///   - routes: the ways there, the best first.
    ///   - secrets: what the device proves itself with, and opens the group's keys with.
    ///   - pace: when the group's key is changed where that is due.
    ///   - clock: the estimate of shared time so far.
    package init(
        _ purpose: Purpose, by routes: [SyncRoute], secrets: DeviceSecrets, pace: KeyRotation.Pace,
        store: DeviceStore, clock: ClockEstimate, time: any Timekeeper, observer: any SyncObserver
    ) throws {
        self.time = time
        self.store = store
        self.observer = observer
        route = RouteToServer(routes)
        self.secrets = secrets
        rotation = KeyRotation(pace, by: secrets.hash)
        let sessionPurpose: ClientSession.Purpose
        switch purpose {
        case .sync(let log):
            group = log
            try log.judge(with: secrets.key)
            sessionPurpose = .sync(try log.local())
        case .enrol(let enrol): sessionPurpose = .enrol(enrol)
        }
        session = ClientSession(
            sessionPurpose, clock: clock, program: "focus \(Lockstep.version)", now: time.now())
    }

    /// What a connection is for.
    package enum Purpose {
        case sync(SealedLog)
        /// To be let in with an invite, then to sync.
        case enrol(Enrol)
    }

    /// Whether all that the server had at the beginning has come, and the device has done about it what it does.
    package var hasCaughtUp: Bool { replaying.hasCaughtUp }

    /// Whether, besides, all that has come since is replayed, and the device has done about that what it does.
    package var hasSettled: Bool { replaying.hasCaughtUp && replaying.deadline == nil }

    /// Begins to connect, by the best route.
    package func start() { connectNext() }

    /// Whether the server's welcome has arrived.
    package var isConnected: Bool { session.isConnected }

    /// How many of the device's events the server isn't known to have.
    package var unacknowledged: UInt64 { session.unacknowledged }

    /// Something was pressed or imported here: it is sent.
    package func sendChanges() {
        process { driver in
            guard let group = driver.group else { return [] }
            // Somebody may have been shut out by a command that doesn't get to the server. Where something waits to be
            // replayed, it shows with that.
            if driver.replaying.hasCaughtUp, driver.replaying.deadline == nil {
                driver.rotation.replayed(try driver.store.state())
            }
            return driver.session.logChanged(try group.change())
        }
    }

    /// Leaves an invite with the server; `answered` follows.
    package func createInvite(_ request: InviteRequest) {
        process { $0.session.ask(.createInvite(request)) }
    }

    /// Has the server refuse this device's key from now on, which ends the connection.
    package func part() {
        process { $0.session.ask(.revoke($0.secrets.hash)) }
    }

    /// Ends the connection in good order.
    package func leave() {
        process { $0.session.leave() }
        endAttempts { $0.close() }
        if route.isOver { finish(.closed(.finished)) }
    }

    func finish(_ end: SyncEnd) {
        wakeUp?.cancel()
        wakeUp = nil
        cancelNextAttempt()
        observer?.ended(end)
    }
}

/// When merged events are replayed.
///
/// A press that arrives shows at once. Where many events arrive, each replay may go far back and take long, so it
/// is done once the device has caught up, and after that in a tenth of the time at most.
struct ReplayPacing {
    /// Whether events were merged that replay hasn't seen.
    private var isNeeded = false
    private(set) var hasCaughtUp = false
    /// Before this instant replay isn't done again.
    private var rest = SteadyInstant.zero

    /// A replay that takes longer than this is followed by a rest.
    static let short = Duration.milliseconds(5)

    /// Events were merged that replay hasn't seen.
    mutating func merged() { isNeeded = true }

    /// All has come that the server had at the beginning.
    mutating func catchUpEnded() { hasCaughtUp = true }

    /// Whether what is merged now may be replayed at once.
    func mayReplay(at now: SteadyInstant) -> Bool { hasCaughtUp && now >= rest }

    /// Whether to replay now.
    func isDue(at now: SteadyInstant) -> Bool { isNeeded && mayReplay(at: now) }

    /// When to replay, at the earliest; nil where there is nothing to replay, or catching up will end with it.
    var deadline: SteadyInstant? { isNeeded && hasCaughtUp ? rest : nil }

    /// Everything has been replayed, which took so long.
    mutating func replayed(at now: SteadyInstant, taking duration: Duration) {
        isNeeded = false
        if duration > ReplayPacing.short { rest = now + duration * 10 }
    }
}

/// How far the server was known to have each replica when a connection was opened, and what its welcome makes of that.
struct AcknowledgedSeqs {
    private let seqs: [ReplicaID: UInt64]

    init(_ replicas: [StoredReplica] = []) {
        seqs = Dictionary(replicas.map { ($0.id, $0.acknowledged) }) { $1 }
    }

    /// How far the server is known to have each of these replicas after its welcome.
    ///
    /// A restored server has less than before; what it has is acknowledged as the session finds it equal. But what another
    /// connection was told since this one was opened may well be later than the welcome.
    func welcomed(by vector: VersionVector, _ replicas: [StoredReplica]) -> [ReplicaID: UInt64] {
        Dictionary(
            replicas.map { replica in
                let isNews = replica.acknowledged > seqs[replica.id] ?? 0
                let seq = isNews ? replica.acknowledged : min(replica.acknowledged, vector[replica.id].seq)
                return (replica.id, seq)
            }
        ) { $1 }
    }
}
