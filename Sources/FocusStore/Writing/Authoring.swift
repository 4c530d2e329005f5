import FocusColumns
package import FocusCore
import SQLiteKit

/// The transaction in which a device writes events of its own: no other process comes between what it reads and
/// what it writes.
package struct Authoring {
    /// What the log comes to, with what has been written so far.
    package private(set) var state: ReplayState
    /// What has been written so far.
    package private(set) var events: [Event] = []
    /// The replica that the device writes as.
    package var replica: ReplicaID { head.id }
    /// What the next event will be called.
    private var next: EventID { EventID(replica: head.id, seq: head.seq + 1) }

    private let store: DeviceStore
    private let now: SharedInstant
    private let epoch: EpochID?
    private var head: StoredReplica
    private var clock: LamportClock
    /// How many events the newest checkpoint has.
    private var replayedCount: UInt64
    private let found = FoundEntries()

    /// - Parameter state: What the log comes to.
    fileprivate init(_ store: DeviceStore, _ state: ReplayState, now: SharedInstant) throws {
        self.store = store
        self.now = now
        self.state = state
        replayedCount = state.eventCount
        epoch = try store.newestEpoch()
        clock = LamportClock(last: try store.greatestReadStamp())
        // Stamps rise within a replica. One whose end can't be read, so that anybody may have stamped it, isn't gone on with.
        if let current = try store.currentReplica(), current.stamp <= clock.last {
            head = current
        } else {
            let fresh = try store.insertFreshReplica()
            head = try store.row(of: fresh) ?? StoredReplica(fresh)
        }
    }

    /// Writes an event that says this, stamped after every event in the log.
    ///
    /// - Throws: `StoreError`: `.tooLong`, `.noStampLeft`, or what SQLite said. Then the whole transaction is to
    ///   be given up, by throwing on.
    @discardableResult
    package mutating func write(_ action: Action) throws(StoreError) -> Event {
        let (event, stored) = try event(action)
        let isReplayed = try StoreError.translating { try add(event, stored, isReplayed: true) }
        if !isReplayed { try replay() }
        return event
    }

    /// Writes events that say these, one after the other, and replays once where they take something back.
    ///
    /// - Throws: As `write(_:)`.
    package mutating func write(_ actions: [Action]) throws(StoreError) {
        var isReplayed = true
        for action in actions {
            let (event, stored) = try event(action)
            isReplayed = try StoreError.translating { try add(event, stored, isReplayed: isReplayed) }
        }
        if !isReplayed { try replay() }
    }

    /// The next event of this device.
    private mutating func event(_ action: Action) throws(StoreError) -> (Event, StoredEvent) {
        let body = action.encoded()
        guard body.count <= SealedEvent.plainLimit else {
            throw StoreError(.tooLong, "an event of \(body.count) bytes is longer than one may be")
        }
        guard let stamp = clock.tick(now: now) else {
            throw StoreError(.noStampLeft, "no stamp is left for another event")
        }
        let event = Event(id: next, stamp: stamp, action: action)
        let stored = StoredEvent(
            id: event.id, stamp: stamp, epoch: epoch, chain: nil, body: .plain(body))
        return (event, stored)
    }

    /// Names the replica that the device writes as, where the log doesn't yet: it may be a fresh one, which goes on
    /// under the device's own name and key, or else those of the last one before it that has any. What the log says of
    /// that one may be another member's doing, who wrote as this device. If all that names the device is early, it is
    /// named again: until then nobody would know its public key.
    ///
    /// - Throws: As `write`.
    package mutating func introduceFreshReplica() throws(StoreError) {
        guard state.devices[replica] == nil else { return }
        let last = try store.ownReplicas().reversed().compactMap { state.devices[$0] }.first
        let known = try store.text(.deviceName) ?? last?.name
        guard let name = try known == nil ? store.earlyName() : known else { return }
        if let key = try store.deviceKey(), let publicKey = try store.value(.publicKey) {
            try write(.device(name: name, key: key.hexadecimal, publicKey: publicKey))
        } else if let last {
            try write(.device(name: name, key: last.writtenKey, publicKey: last.publicKey))
        }
    }

    /// Puts the event into the log, and into the state where that is replayed up to it and can be without going
    /// back. Says whether the state is replayed up to the event now.
    private mutating func add(_ event: Event, _ stored: StoredEvent, isReplayed: Bool) throws -> Bool {
        var writer = EventWriter(store)
        try writer.insert(stored)
        head.append(stored)
        try store.upsert(head)
        events.append(event)
        // What doesn't open may be stamped ahead of it, and has a place in the order all the same.
        guard Undo(event) == nil, state.position.map({ $0 < event.position }) ?? true else {
            try writer.forgetCheckpoints()
            return false
        }
        guard isReplayed else { return false }
        var sink = found
        // No undo can name it yet: one counts only where it comes after what it names.
        try state.apply(event, isTakenBack: false, in: store, history: &sink)
        var packing = JournalPacking(store)
        try packing.append(found, at: state.position)
        try packing.flush()
        return true
    }

    /// Replays what was written since something was taken back.
    private mutating func replay() throws(StoreError) {
        state = try StoreError.translating { try store.replayed() }
        replayedCount = state.eventCount
    }

    fileprivate mutating func finish() throws {
        guard state.eventCount != replayedCount else { return }
        try store.keepAtEnd(state, after: replayedCount)
    }
}

extension DeviceStore {
    /// Lets `body` look at what the log comes to and write events on account of it, all in one transaction; durable
    /// when this returns. Where `body` throws, nothing was written.
    ///
    /// - Parameters:
    ///   - now: Shared time.
    ///   - counted: Which events count while it does.
    /// - Returns: What `body` returned, and the events written.
    /// - Throws: What `body` throws, or `StoreError`.
    package func author<Result>(
        now: SharedInstant, counting counted: CountedEvents = .due,
        _ body: (inout Authoring) throws -> Result
    ) throws -> (result: Result, events: [Event]) {
        while true {
            let isOwn = !database.isInTransaction
            let authored: (result: Result, events: [Event])? = try transaction(.full) {
                try updateCounted(at: now, counted)
                let (state, isAtEnd) = try replayedSlice()
                if isOwn, !isAtEnd { return nil }
                var authoring = try Authoring(self, isAtEnd ? state : replayed(), now: now)
                let result = try body(&authoring)
                try authoring.finish()
                return (result, authoring.events)
            }
            if let authored { return authored }
        }
    }
}
