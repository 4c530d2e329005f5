package import FocusCore
package import FocusStore
package import FocusSync
package import FocusText

/// What `focus status` knows: the state that every laptop shows, and how this one stands to the others.
package struct DeviceStatus: Hashable, Sendable {
    /// What replay makes of the log. It holds at any instant: `now` says which is shown.
    package let state: ReplayState
    /// When, in shared time.
    package private(set) var now: SharedInstant
    /// What the others call this device.
    package let device: String
    /// The hash of its public key; nil where it has never joined a group.
    package let deviceKey: Digest?
    /// Nil where the device is alone.
    package let group: GroupID?
    /// How the agent's connection stands, as far as is known; offline where no agent says.
    package let link: ServerLink
    /// How many events the server isn't known to have; alone there is none that lacks them.
    package let pending: UInt64
    /// Shared time less the wall clock.
    package let offset: Duration
    /// When the server was last heard, in shared time; nil where it never was.
    package let lastSync: SharedInstant?
    /// When the next of the events that lie ahead counts; nil if there are none.
    package let nextCounted: SharedInstant?
    /// What keeps the device from its server; nil if nothing is known to.
    package let obstacle: ServerObstacle?
    /// What the devices are called that are connected, where the log names them.
    private let onlineNamed: [Digest: String]

    /// What the device knows now, all of one moment of its log.
    package init(_ device: Device) throws(StoreError) {
        let status = try device.store.reading { () throws(StoreError) in
            try device.store.countsOtherwise(at: device.now()) ? nil : try DeviceStatus(reading: device)
        }
        if let status {
            self = status
        } else {
            device.updateCounted()
            self = try device.store.reading { try DeviceStatus(reading: device) }
        }
    }

    private init(reading device: Device) throws(StoreError) {
        state = try device.store.state()
        let clock = try device.clock()
        now = clock.now()
        offset = clock.fromWall
        self.device = try device.name()
        deviceKey = try device.store.deviceKey()
        group = try device.store.group()
        link = try device.link()
        pending = group == nil ? 0 : try device.store.pendingCount()
        lastSync = try device.lastHeard()?.shared
        nextCounted = try device.store.nextCounted()
        obstacle = group == nil || link.state == .online ? nil : try device.obstacle()
        onlineNamed = try DeviceStatus.names(of: Set(link.online), state, device.store)
    }

    /// The names of these devices that the log has, each by the replica that it wrote as last.
    private static func names(
        of keys: Set<Digest>, _ state: ReplayState, _ store: DeviceStore
    ) throws(StoreError) -> [Digest: String] {
        guard !keys.isEmpty else { return [:] }
        var named: [Digest: [(replica: ReplicaID, name: String)]] = [:]
        for (replica, device) in state.devices where !device.name.isEmpty {
            guard let key = device.key, keys.contains(key) else { continue }
            named[key, default: []].append((replica, device.name))
        }
        var names: [Digest: String] = [:]
        for (key, found) in named {
            var newest: (position: Position, name: String)?
            for (replica, name) in found {
                // Mostly there is one, and nothing to look up.
                let stamp = found.count == 1 ? .zero : try store.replica(replica)?.stamp ?? .zero
                let position = Position(stamp: stamp, replica: replica)
                if newest.map({ $0.position < position }) ?? true { newest = (position, name) }
            }
            names[key] = newest?.name
        }
        return names
    }

    /// What a device knows that has no log yet.
    package init(withoutLog machine: Machine) {
        state = ReplayState()
        now = machine.clocks.wall()
        device = machine.hostName()
        deviceKey = nil
        group = nil
        link = ServerLink(.offline)
        pending = 0
        offset = .zero
        lastSync = nil
        nextCounted = nil
        obstacle = nil
        onlineNamed = [:]
    }

    /// What every front end draws from.
    package var presentation: Presentation { Presentation(TimerState(state, at: now), sharing: sharing) }

    /// What is shown of the timer.
    package var shown: ShownTimer { ShownTimer(TimerState(state, at: now)) }

    private var sharing: Sharing {
        guard group != nil else { return .alone }
        let others = names(link.online.filter { $0 != deviceKey })
        let isOnline = link.state == .online
        return .group(
            GroupLink(
                connection, pending: pending, others: isOnline ? others : [],
                heard: isOnline ? nil : lastSync, obstacle: obstacle))
    }

    /// How the connection stands for people: offline until an attempt has led to the server, if the last one didn't.
    package var connection: Sharing.Connection { obstacle == nil ? link.state : .offline }

    /// Whether people are told that the laptop is offline. A command that has just synced by itself isn't.
    package var isCutOff: Bool {
        guard group != nil, connection == .offline else { return false }
        return obstacle != nil || pending > 0 || lastSync.map { now - $0 >= Device.silence } ?? true
    }

    /// Whether nothing but the time has changed since `other`.
    package func equalsButForTime(_ other: DeviceStatus) -> Bool {
        at(other.now) == other
    }

    /// The same at another instant.
    package func at(_ now: SharedInstant) -> DeviceStatus {
        var copy = self
        copy.now = now
        return copy
    }

    /// The object that `focus status --json` prints (docs/commands.md, "status --json").
    package var json: JSON {
        let sync = JSON.object([
            JSON.Member("state", .string(connection.rawValue)), JSON.Member("pending", .integer(pending)),
            JSON.Member("offsetMs", .integer(offset.inMilliseconds)),
            JSON.Member("lastSync", .optional(lastSync)),
            JSON.Member("obstacle", .optional(obstacle?.rawValue)),
        ])
        let members = [
            JSON.Member("device", .string(device)), JSON.Member("group", .optional(group?.text)),
            JSON.Member("sync", sync),
            JSON.Member("online", .array(onlineNames.map { .string($0) })),
        ]
        return .object(
            StateDocument.members(state, at: now) + members + StateDocument.counts(state))
    }

    /// The names of the devices that are connected, in order; the first digits of the identity where a
    /// device's name isn't known.
    package var onlineNames: [String] { names(link.online) }

    private func names(_ keys: [Digest]) -> [String] {
        keys.map { onlineNamed[$0] ?? DeviceName.digits($0) }.sorted()
    }
}

/// Something that is the matter with this laptop or its log as long as it lasts, and that a person should know
/// whatever they press or look at.
package enum Trouble: Hashable, Sendable {
    /// The server, or another laptop, has shut this one out.
    case revoked
    /// Something else keeps the laptop from its server until a person mends it.
    case server(ServerObstacle)
    /// The laptop is connected, but its server takes nothing of what waits here, for this reason.
    case notTaken(RefusalCode)
    /// So many events can't be read, since their epoch's key hasn't come.
    case unreadable(UInt64)
    /// Events lie ahead of the laptop's clock, the last of them by so much: they don't count before their time
    /// (docs/timer-rules.md §1).
    case ahead(EarlyEvents, by: Duration)
    /// So many laptops came with a key from before another was shut out, and wait for a person to accept them.
    case latecomers(Int)
    /// What this laptop did about presses that contradicted each other, or what a press that came late took out of the
    /// history, until the next press here.
    case resolved(String)
}

extension Device {
    /// That events lie ahead of `now`; nil if none does.
    package func troubleAhead(at now: SharedInstant) throws(StoreError) -> Trouble? {
        try store.earlyEvents().map { .ahead($0, by: $0.latest.time - now) }
    }

    /// What is the matter at `now`, where the log comes to `state`.
    package func troubles(_ state: ReplayState, at now: SharedInstant) throws(StoreError) -> [Trouble] {
        var troubles: [Trouble] = []
        let obstacle = try obstacle()
        let ruling = try store.deviceKey().flatMap {
            state.rulings[$0]
        }
        let isRevoked = obstacle == .revoked || ruling?.isRevoked == true
        if isRevoked {
            troubles.append(.revoked)
        } else if let obstacle, obstacle.needsPerson {
            troubles.append(.server(obstacle))
        } else if let stop = try stop() {
            troubles.append(.notTaken(stop))
        }
        if let ahead = try troubleAhead(at: now) { troubles.append(ahead) }
        // One that was shut out gets no key, and lets nobody in.
        if !isRevoked {
            let sealed = try store.sealedCount()
            if sealed > 0 { troubles.append(.unreadable(sealed)) }
            let late = GroupKeys(state, try store.devices()).late
            if !late.isEmpty { troubles.append(.latecomers(late.count)) }
        }
        if let sentence = try resolved() { troubles.append(.resolved(sentence)) }
        return troubles
    }
}
