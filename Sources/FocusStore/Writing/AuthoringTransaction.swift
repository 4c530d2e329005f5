import FocusColumns
package import FocusCore
import SQLiteKit

/// The transaction in which a device writes its own events. No other process can write between its reads and
/// its writes.
package struct AuthoringTransaction {
    /// The state after replaying the log, including the events written so far.
    package private(set) var state: ReplayState
    /// The events written so far.
    package private(set) var events: [Event] = []
    /// The replica that the device writes as.
    package var replica: ReplicaID { head.id }
    /// The name of the next event.
    private var next: EventID { EventID(replica: head.id, seq: head.seq + 1) }

    private let store: DeviceStore
    private let now: SharedInstant
    /// The epoch that the events are written under; nil without a group.
    private let epoch: EpochID?
    /// The row of the replica that the device writes as.
    private var head: StoredReplica
    private var clock: LamportClock
    /// The number of events up to the newest checkpoint.
    private var replayedCount: UInt64
    /// The entries for the history that no row has yet.
    private let newEntries = JournalEntryCollector()

    /// - Parameter state: The state after replaying the log.
    fileprivate init(_ store: DeviceStore, _ state: ReplayState, now: SharedInstant) throws(StoreError) {
        self.store = store
        self.now = now
        self.state = state
        replayedCount = state.eventCount
        epoch = try store.newestEpoch()
        clock = LamportClock(last: try store.greatestReadStamp())
        // Stamps rise within a replica. If the replica's last event can't be read, its stamp may be forged,
        // so the device switches to a fresh replica.
        if let current = try store.currentReplica(), current.stamp <= clock.last {
            head = current
        } else {
            let fresh = try store.insertFreshReplica()
            head = try store.row(of: fresh) ?? StoredReplica(fresh)
        }
    }

    /// Writes an event with this action, stamped after every readable event in the log.
    ///
    /// - Throws: `StoreError`: `.tooLong`, `.noStampLeft`, or an error of SQLite. Rethrow it, so that the
    ///   whole transaction is rolled back.
    @discardableResult
    package mutating func write(_ action: Action) throws(StoreError) -> Event {
        let (event, stored) = try event(action)
        let isReplayed = try add(event, stored, isReplayed: true)
        if !isReplayed { try replay() }
        return event
    }

    /// Writes an event for each action, in order, and replays once if any of them is an undo.
    ///
    /// - Throws: The same errors as `write(_:)`.
    package mutating func write(_ actions: [Action]) throws(StoreError) {
        var isReplayed = true
        for action in actions {
            let (event, stored) = try event(action)
            isReplayed = try add(event, stored, isReplayed: isReplayed)
        }
        if !isReplayed { try replay() }
    }

    /// Returns the next event of this device.
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

    /// Writes a `device` event for the current replica if the log has none that counts. An early one isn't
    /// enough: until it counts, nobody knows the device's public key. Name and key are the stored ones. If
    /// they are missing in the store, they are copied from the log, from the event of the device's last named
    /// replica. Another member may have written that event.
    ///
    /// - Throws: The same errors as `write(_:)`.
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

    /// Inserts the event. Applies it to the state if the state includes every earlier event and replay
    /// needn't go back.
    ///
    /// - Returns: Whether the state includes the event now.
    private mutating func add(_ event: Event, _ stored: StoredEvent, isReplayed: Bool) throws(StoreError)
        -> Bool
    {
        var writer = EventWriter(store)
        try writer.insert(stored)
        head.append(stored)
        try store.upsert(head)
        events.append(event)
        // An undo changes the state from its target on. Any other event is stamped after all readable events,
        // except empty ones (`greatestReadStamp`). If the state's position is that of an empty event with a
        // later stamp, this event belongs before it.
        guard Undo(event) == nil, state.position.map({ $0 < event.position }) ?? true else {
            try writer.forgetCheckpoints()
            return false
        }
        guard isReplayed else { return false }
        var sink = newEntries
        // No undo can name the event yet, because an undo counts only if it comes after its target.
        try state.apply(event, isTakenBack: false, in: store, history: &sink)
        try store.insertJournal(newEntries.entries, at: state.position)
        newEntries.removeAll()
        return true
    }

    /// Replays the log from the newest remaining checkpoint, because `add` left out an event.
    private mutating func replay() throws(StoreError) {
        state = try store.replayed()
        replayedCount = state.eventCount
    }

    /// Stores a checkpoint after the written events, if there are any.
    fileprivate mutating func finish() throws(StoreError) {
        guard state.eventCount != replayedCount else { return }
        try store.storeEndCheckpoint(state, after: replayedCount)
    }
}

extension DeviceStore {
    /// Lets `body` read the state and write events, all in one transaction, which is durable when this
    /// returns. If `body` throws, all events are rolled back.
    ///
    /// - Parameters:
    ///   - now: Shared time.
    ///   - counted: The rule by which events count during the transaction.
    /// - Returns: The result of `body`, and the events written.
    /// - Throws: The errors of `body`, or `StoreError`.
    package func author<Result, Failure: ExpressibleByStoreError>(
        now: SharedInstant, counting counted: CountedEvents = .due,
        _ body: (inout AuthoringTransaction) throws(Failure) -> Result
    ) throws(Failure) -> (result: Result, events: [Event]) {
        while true {
            // False if a caller has begun the transaction. Then nothing can be committed in between.
            let isOwn = !database.isInTransaction
            let authored: (result: Result, events: [Event])? = try writing(.full) { () throws(Failure) in
                let begun = try Failure.converting { () throws(StoreError) -> AuthoringTransaction? in
                    try updateCounted(at: now, counted)
                    let (state, isAtEnd) = try replayedSlice()
                    // A long replay is committed in slices, each in a transaction of its own. Returning nil
                    // commits this slice, and the loop goes on with the next one.
                    if isOwn, !isAtEnd { return nil }
                    return try AuthoringTransaction(self, isAtEnd ? state : replayed(), now: now)
                }
                guard var authoring = begun else { return nil }
                let result = try body(&authoring)
                try Failure.converting { () throws(StoreError) in try authoring.finish() }
                return (result, authoring.events)
            }
            if let authored { return authored }
        }
    }
}
