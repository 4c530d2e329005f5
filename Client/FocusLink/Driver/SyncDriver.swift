import FocusCore
package import FocusDevice
package import FocusStore
package import FocusSync

/// One connection to the server, from the first attempt to its end: executes the effects of its
/// `ClientSession`.
///
/// It is confined to one thread. It holds its observer weakly, because the observer keeps the driver. The
/// last call to the observer is `ended`.
package final class SyncDriver {
    let time: any Scheduler
    let store: DeviceStore
    private(set) weak var observer: (any SyncObserver)?
    var session: ClientSession
    /// The group's log; nil until the device is let into a group.
    var group: SealedLog?
    var route: RouteConnector
    /// The timer for the session's next tick.
    var wakeUp: (any Alarm)?
    /// The timer for trying the next route while others are under way.
    var nextAttempt: (any Alarm)?
    /// The effects to execute, in order.
    var effects = Fifo<ClientEffect>()
    /// Whether effects are being executed. Effects that are appended meanwhile are executed too.
    var isPerforming = false
    /// Whether bytes were sent since the session was last told how many are unsent.
    var hasSent = false
    var replaying = ReplayLimiter()
    var keyPacing = KeyWorkLimiter()
    let secrets: DeviceSecrets
    var rotation: KeyRotation
    var told = RevocationReports()
    var traffic = SyncTraffic()
    /// Whether people were told that the server sends more unreadable data than this device keeps.
    var hasToldOfExcess = false
    /// Whether the store says that the server takes no events.
    var isStopped = false
    /// Whether the server has acknowledged events and the observer hasn't been told yet.
    var hasAcknowledged = false
    /// The group's devices that were connected, and when each was last seen, as of the welcome.
    var presence: [Presence] = []
    /// The group's devices that this device keeps.
    var listed = ListedDevices()
    /// The devices that the server shuts out, by its messages on this connection. A device that only a record
    /// calls revoked isn't one of them, because the server lets it in.
    var keptOut: Set<Digest> = []
    var acknowledged = AcknowledgedSeqs()
    /// The reason for which the connection is being given up. The first reason counts.
    var end: SyncEnd?

    /// Makes a connection to a server, which `start` opens.
    ///
    /// - Parameters:
    ///   - purpose: The purpose: to sync the group's log, or to be let into a group first.
    ///   - routes: The routes to the server, best first.
    ///   - secrets: The key with which the device proves its identity and opens the group's keys.
    ///   - pace: The delay before this device makes an epoch that is due.
    ///   - clock: The estimate of shared time so far.
    package init(
        _ purpose: Purpose, by routes: [Route], secrets: DeviceSecrets, pace: KeyRotation.Pace,
        store: DeviceStore, clock: ClockEstimate, time: any Scheduler, observer: any SyncObserver
    ) throws {
        self.time = time
        self.store = store
        self.observer = observer
        route = RouteConnector(routes)
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

    /// The purpose of a connection.
    package enum Purpose {
        case sync(SealedLog)
        /// To be let in with an invite, then to sync.
        case enrol(Enrol)
    }

    /// Whether the device has merged everything that the server had at the beginning, and has acted on it.
    package var reachedWelcome: Bool { replaying.reachedWelcome }

    /// Whether the device has caught up, and has also replayed and acted on all later events.
    package var hasSettled: Bool { replaying.reachedWelcome && replaying.deadline == nil }

    /// Begins to connect, on the best route.
    package func start() { connectNext() }

    /// Whether the server's welcome has arrived.
    package var isConnected: Bool { session.isConnected }

    /// The number of this device's events that the server hasn't acknowledged.
    package var unacknowledged: UInt64 { session.unacknowledged }

    /// Sends events that were pressed or imported here.
    package func sendChanges() {
        process { driver in
            guard let group = driver.group else { return [] }
            // A command may have shut somebody out without reaching the server. If a replay is due, it will
            // find that.
            if driver.replaying.reachedWelcome, driver.replaying.deadline == nil {
                driver.rotation.replayed(try driver.store.state())
            }
            return driver.session.localLogChanged(to: try group.vector())
        }
    }

    /// Leaves an invite with the server. The observer's `answered` follows.
    package func createInvite(_ request: InviteRequest) {
        process { $0.session.ask(.createInvite(request)) }
    }

    /// Asks the server to refuse this device's key from now on. The server then ends the connection.
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

/// A limiter for the replay of merged events.
///
/// A single press is shown at once. When many events arrive, each replay may go far back and take long. So
/// events are replayed once the device has caught up, and after that in at most a tenth of the time.
struct ReplayLimiter {
    /// Whether there are merged events that haven't been replayed.
    private var isNeeded = false
    private(set) var reachedWelcome = false
    /// The earliest instant of the next replay.
    private var rest = SteadyInstant.zero

    /// A replay that takes longer than this is followed by a pause.
    static let short = Duration.milliseconds(5)

    /// Notes that events were merged but not replayed.
    mutating func merged() { isNeeded = true }

    /// Notes that everything has arrived that the server had at the beginning.
    mutating func catchUpEnded() { reachedWelcome = true }

    /// Whether events that are merged now may be replayed at once.
    func mayReplay(at now: SteadyInstant) -> Bool { reachedWelcome && now >= rest }

    /// Whether to replay now.
    func isDue(at now: SteadyInstant) -> Bool { isNeeded && mayReplay(at: now) }

    /// The earliest instant to replay; nil if there is nothing to replay, or if the end of catching up will
    /// replay.
    var deadline: SteadyInstant? { isNeeded && reachedWelcome ? rest : nil }

    /// Notes that everything has been replayed, which took `duration`.
    mutating func replayed(at now: SteadyInstant, taking duration: Duration) {
        isNeeded = false
        if duration > ReplayLimiter.short { rest = now + duration * 10 }
    }
}

/// The seq up to which the server had acknowledged each replica when the connection opened. A welcome may
/// correct these seqs.
struct AcknowledgedSeqs {
    private let seqs: [ReplicaID: UInt64]

    init(_ replicas: [StoredReplica] = []) {
        seqs = Dictionary(replicas.map { ($0.id, $0.acknowledged) }) { $1 }
    }

    /// Returns the seqs that count as acknowledged after a welcome. A restored server has fewer events than
    /// before; the session acknowledges them again when it finds them equal. An acknowledgement that another
    /// connection got since this one was opened counts, because it may be newer than the welcome.
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
