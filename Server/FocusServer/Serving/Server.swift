import FocusCore
import FocusNet
import FocusSync

/// What lies between the network and the store: it has each connection's session decide, and carries out what
/// that asks for.
///
/// Everything in it belongs to the loop that the connections live on. It waits for nobody: what has to be written
/// or read is left with the writer and the reader, whose answers come back in order.
actor Server {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The threads behind the server, and how they are asked.
    struct Storage: Sendable {
        let writer: Writer
        let reader: Reader
        let writes: Mailbox<WriterRequest>
        let reads: Mailbox<ReaderRequest>
    }

    /// What clients are told of this program.
    static let program = "focusd \(Lockstep.version)"

    let clock: ServerClock
    let log: Log
    var storage: Storage?
    var groups: [GroupID: GroupFeed] = [:]
    var devices: [Digest: StoredDevice] = [:]
    var members: [ConnectionID: Member] = [:]
    /// When devices were last heard of, where the store doesn't have that yet.
    var unnoted: [Digest: Int64] = [:]
    /// What the store's revision was when the devices were last looked at; nil where that failed.
    var revision: Int64?
    private var listener: Listener?
    private(set) var isStopping = false
    private var stopped: [CheckedContinuation<Void, Never>] = []

    init(loop: EventLoop, clock: ServerClock, log: Log) {
        self.loop = loop
        self.clock = clock
        self.log = log
    }

    /// Begins to serve.
    ///
    /// - Parameters:
    ///   - groups: the groups' logs as the writer has them.
    ///   - devices: every device.
    ///   - revision: the store's revision when, or before, the devices were read.
    /// - Returns: where it listens, with the real port where port 0 was asked for.
    /// - Throws: `NetError` where it can't listen there.
    func start(
        _ storage: Storage, groups: [GroupID: GroupLog], devices: [StoredDevice], revision: Int64,
        at endpoint: Endpoint,
        over context: TLSContext
    ) throws -> Endpoint {
        self.storage = storage
        self.groups = groups.mapValues(GroupFeed.init)
        for device in devices { know(device) }
        self.revision = revision
        let listener = try Listener(on: loop, at: endpoint, over: .tls(context)) { [weak self] _ in self }
        self.listener = listener
        loop.schedule(every: .milliseconds(500)) { [weak self] in
            self?.assumeIsolated { $0.storage?.reads.post(.revision) }
        }
        loop.schedule(every: .seconds(1)) { [weak self] in self?.assumeIsolated { $0.tick() } }
        loop.schedule(every: .seconds(30)) { [weak self] in self?.assumeIsolated { $0.note() } }
        return listener.endpoint
    }

    /// Takes nothing new, has what was accepted committed and acknowledged, then closes every connection.
    func stop() {
        guard !isStopping else { return }
        isStopping = true
        log.write(.info, "stopping", ["connections": "\(members.count)"])
        listener?.close()
        for member in members.values { member.connection.pauseReading() }
        note()
        storage?.writes.post(.barrier)
    }

    /// Returns once `stop` is done.
    func waitUntilStopped() async {
        guard !isStopping || !members.isEmpty || storage != nil else { return }
        await withCheckedContinuation { stopped.append($0) }
    }

    /// Everything that was accepted before `stop` is acknowledged.
    func drained() {
        let refusal = Refusal(.shuttingDown, "the server is shutting down", retry: .after(1_000))
        for member in Array(members.values) { perform(member.session.refuse(refusal), for: member) }
        storage = nil
        finishIfStopped()
    }

    /// Lets those go on who wait for the end, where this is it.
    func finishIfStopped() {
        guard isStopping, storage == nil, members.isEmpty else { return }
        for waiting in stopped { waiting.resume() }
        stopped = []
    }

    /// Takes note of what is known of a device.
    func know(_ device: StoredDevice) {
        if let known = devices[device.key] { groups[known.group]?.devices.remove(device.key) }
        devices[device.key] = device
        groups[device.group]?.devices.insert(device.key)
    }

    /// Sees to deadlines.
    private func tick() {
        let now = clock.read()
        for member in Array(members.values) { perform(member.session.tick(now), for: member) }
    }

    /// Has what changes all the time stored, now and then.
    private func note() {
        guard !unnoted.isEmpty || !members.isEmpty else { return }
        storage?.writes.post(.note(lastSeen: unnoted, greatestServed: clock.greatestServed))
        unnoted = [:]
    }
}
