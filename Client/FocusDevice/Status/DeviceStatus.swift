package import FocusCore
package import FocusStore
package import FocusSync
package import FocusText

/// The data of `focus status`: the state that every laptop shows, and this laptop's relation to the others.
package struct DeviceStatus: Hashable, Sendable {
    /// The state by the log. It is valid for any instant; `now` says which one is shown.
    package let state: ReplayState
    /// The instant that is shown, in shared time.
    package private(set) var now: SharedInstant
    /// This device's name for the others.
    package let device: String
    /// The hash of its public key, or nil if it has never joined a group.
    package let deviceKey: Digest?
    /// The device's group, or nil if it is in none.
    package let group: GroupID?
    /// The state of the agent's connection, as far as is known: offline if no agent has recorded one.
    package let link: ConnectionState
    /// The number of events that the server isn't known to have. Zero in no group.
    package let pending: UInt64
    /// Shared time minus the wall clock.
    package let offset: Duration
    /// The time when the server was last heard, in shared time; nil if it never was.
    package let lastSync: SharedInstant?
    /// The time from which the next early event counts, or nil if there are no early events.
    package let nextCounted: SharedInstant?
    /// The obstacle that keeps the device from its server, or nil if none is known.
    package let obstacle: ServerObstacle?
    /// The shown name of the member that runs the server, by its own word, if the server can't be reached;
    /// otherwise nil.
    package let serverLaptop: String?
    /// The last press, if another device of the group made it lately.
    package private(set) var recentPress: RecentPress?
    /// The open question about an absence from this laptop, or nil if there is none.
    package let question: AbsenceQuestion?
    /// The names of the connected devices, as far as the log names them.
    private let onlineNamed: [Digest: String]

    /// The device's present status, all of one moment of its log, or with an earlier state while that catches
    /// up. If the set of events that count is out of date, it is updated first, outside the read because that
    /// writes.
    package init(_ device: Device) throws(StoreError) {
        let status = try device.store.reading { () throws(StoreError) in
            try device.store.haveCountedEventsChanged(at: device.now())
                ? nil : try DeviceStatus(reading: device)
        }
        if let status {
            self = status
        } else {
            device.updateCounted()
            self = try device.store.reading { () throws(StoreError) in try DeviceStatus(reading: device) }
        }
    }

    private init(reading device: Device) throws(StoreError) {
        state = try device.shownState()
        let clock = try device.clock()
        now = clock.now()
        offset = clock.fromWall
        self.device = try device.name()
        deviceKey = try device.store.deviceKey()
        group = try device.store.group()
        link = try device.link()
        pending = group == nil ? 0 : try device.store.pendingCount()
        lastSync = try device.lastContact()?.shared
        nextCounted = try device.store.nextCounted()
        obstacle = group == nil || link.state == .online ? nil : try device.obstacle()
        serverLaptop = obstacle == .unreachable ? try device.serverLaptop(state) : nil
        recentPress = group == nil ? nil : try DeviceStatus.recentPress(state, at: now, device)
        question = try device.absenceQuestion()
        onlineNamed = try DeviceStatus.names(of: Set(link.online), state, device.store)
    }

    /// Returns the last press in the log if another device made it lately, otherwise nil.
    private static func recentPress(
        _ state: ReplayState, at now: SharedInstant, _ device: Device
    ) throws(StoreError) -> RecentPress? {
        try device.store.reading { () throws(StoreError) in
            let start = now - RecentPress.lifetime
            guard let event = try device.store.recentPress(state, since: start),
                try !device.ownReplicas().contains(event.id.replica)
            else { return nil }
            var isRedo = false
            if let undo = Undo(event), let target = try device.store.event(undo.target) {
                isRedo = Undo(target) != nil
            }
            let replica = event.id.replica
            let press = RecentPress(
                event, isRedo: isRedo, by: state.wholeName(of: replica), shownAs: state.name(of: replica),
                effect: state.effect(of: event), at: now)
            return shown(press, state, at: now)
        }
    }

    /// Returns a press as it is shown at `now`. Nil if it is too old, or if a phase has ended by itself since.
    private static func shown(
        _ press: RecentPress?, _ state: ReplayState, at now: SharedInstant
    ) -> RecentPress? {
        guard let press else { return nil }
        let (after, present) = (TimerState(state, at: press.time).run, TimerState(state, at: now).run)
        guard after?.id == present?.id, after?.ordinal == present?.ordinal else { return nil }
        return press.at(now)
    }

    /// Returns the names of these devices in the log, each by the replica that the device wrote under last.
    fileprivate static func names(
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
                // Most devices have one replica, so there is nothing to look up.
                let stamp = found.count == 1 ? .zero : try store.replica(replica)?.stamp ?? .zero
                let position = Position(stamp: stamp, replica: replica)
                if newest.map({ $0.position < position }) ?? true { newest = (position, name) }
            }
            names[key] = newest?.name
        }
        return names
    }

    /// The status of a device that has no log yet.
    package init(withoutLog platform: Platform) {
        state = ReplayState()
        now = platform.clocks.wall()
        device = platform.hostName()
        deviceKey = nil
        group = nil
        link = ConnectionState(.offline)
        pending = 0
        offset = .zero
        lastSync = nil
        nextCounted = nil
        obstacle = nil
        serverLaptop = nil
        recentPress = nil
        question = nil
        onlineNamed = [:]
    }

    /// The presentation, from which every front end draws.
    package var presentation: Presentation {
        Presentation(TimerState(state, at: now), sharing: sharing, press: recentPress)
    }

    /// The timer as it is shown.
    package var shown: ShownTimer { ShownTimer(TimerState(state, at: now)) }

    private var sharing: GroupStatus {
        guard group != nil else { return .alone }
        let others = shownNames(link.online.filter { $0 != deviceKey })
        let isOnline = link.state == .online
        return .group(
            GroupConnectionStatus(
                connection, pending: pending, others: isOnline ? others : [],
                heard: isOnline ? nil : lastSync, obstacle: obstacle,
                serverLaptop: serverLaptop, waitsSince: isOnline ? waitsSince : nil))
    }

    /// A server acknowledges an event within this time.
    private static let usualWait = Duration.seconds(10)

    /// The instant since which some event has been pending although the server wasn't heard, if that is
    /// longer than usual; otherwise nil.
    private var waitsSince: SharedInstant? {
        guard pending > 0, let last = state.position?.stamp.time else { return nil }
        let since = max(last, lastSync ?? last)
        return now - since > DeviceStatus.usualWait ? since : nil
    }

    /// The state of the connection for people. It is offline if the last attempt failed, until another one
    /// reaches the server.
    package var connection: GroupStatus.Connection { obstacle == nil ? link.state : .offline }

    /// Whether people are told that the laptop is offline. They aren't told if no agent is connected, but a
    /// command has just synced on a connection of its own.
    package var isCutOff: Bool {
        guard group != nil, connection == .offline else { return false }
        return obstacle != nil || pending > 0 || lastSync.map { now - $0 >= Device.contactTimeout } ?? true
    }

    /// Whether only the time has changed since `other`.
    package func equalsButForTime(_ other: DeviceStatus) -> Bool {
        at(other.now) == other
    }

    /// Returns the same status at another instant.
    package func at(_ now: SharedInstant) -> DeviceStatus {
        var copy = self
        copy.now = now
        copy.recentPress = DeviceStatus.shown(recentPress, state, at: now)
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
            JSON.Member("lastPress", recentPress?.json ?? .null),
            JSON.Member("idle", question?.json ?? .null),
        ]
        return .object(
            StateDocument.members(state, at: now) + members + StateDocument.counts(state))
    }

    /// The names of the connected devices, sorted. A device without a known name has the first digits of its
    /// key.
    package var onlineNames: [String] {
        link.online.map { onlineNamed[$0] ?? DeviceName.digits($0) }.sorted()
    }

    /// The same names as people are shown them.
    package var shownOnlineNames: [String] { shownNames(link.online) }

    private func shownNames(_ keys: [Digest]) -> [String] {
        keys.map { key in
            onlineNamed[key].map { state.shownName($0, key: key) } ?? DeviceName.digits(key)
        }.sorted()
    }
}

/// A problem with this laptop or its log, for as long as it lasts. Every view shows it.
package enum Trouble: Hashable, Sendable {
    /// The server or another laptop has revoked this one.
    case revoked
    /// The laptop can't reach or use its server until a person mends this.
    case server(ServerObstacle)
    /// The laptop is connected, but its server accepts none of the pending events, for this reason.
    case eventsRefused(RefusalCode)
    /// This number of events can't be read, because their epoch's key hasn't come.
    case unreadable(UInt64)
    /// The log has early events, the last of which is ahead of the laptop's clock by this time. They don't
    /// count before their time (docs/timer-rules.md §1).
    case earlyEvents(EarlyEvents, by: Duration)
    /// This number of latecomers: they have a key from before a laptop was revoked, and wait for a person to
    /// accept them.
    case latecomers(Int)
    /// The sentence about a conflict that is already resolved: this laptop took presses back because others
    /// contradicted them, or a late press removed phases from the history. The person only has to know of it,
    /// and of the press that takes the late press back. Views show it until the next press here.
    case resolved(String, LatePress.Remedy?)
}

extension Device {
    /// Returns the shown name of another member that runs the group's server, or nil if none says so. Any
    /// member may have written that, so it is only for people.
    ///
    /// - Parameter state: The state after replaying the device's log.
    package func serverLaptop(_ state: ReplayState) throws(StoreError) -> String? {
        guard let replica = try serverReplica(state), let key = state.devices[replica]?.key,
            try key != store.deviceKey(), KeyStatuses(state, try store.devices())[key] == .member,
            let name = try DeviceStatus.names(of: [key], state, store)[key]
        else { return nil }
        return state.shownName(name, key: key)
    }

    /// Returns the trouble with early events at `now`, or nil if there are none.
    package func earlyEventsTrouble(at now: SharedInstant) throws(StoreError) -> Trouble? {
        try store.earlyEvents().map { .earlyEvents($0, by: $0.latest.time - now) }
    }

    /// Returns all troubles at `now`, for a log in the state `state`.
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
        } else if let refusal = try pendingRefusal() {
            troubles.append(.eventsRefused(refusal))
        }
        if let early = try earlyEventsTrouble(at: now) { troubles.append(early) }
        // A revoked laptop gets no key and lets nobody in.
        if !isRevoked {
            let sealed = try store.sealedCount()
            if sealed > 0 { troubles.append(.unreadable(sealed)) }
            let late = KeyStatuses(state, try store.devices()).late
            if !late.isEmpty { troubles.append(.latecomers(late.count)) }
        }
        if let notice = try conflictNotice(state) {
            troubles.append(.resolved(notice.sentence, notice.remedy))
        }
        return troubles
    }
}
