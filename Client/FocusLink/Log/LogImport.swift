package import FocusCore
package import FocusDevice
package import FocusStore
import FocusSync
package import FocusText

/// An import of a log as text into the device's log, in one transaction.
package struct LogImport {
    /// The result of an import.
    package enum Outcome: Hashable {
        /// The numbers of all new events, of known events, and of the new events that are on a branch. Events
        /// go on a branch if the log has different events under the same names.
        case merged(new: Int, known: Int, branched: Int)
        /// The history of another log was copied. The numbers of its new records and of its known records.
        case copiedHistory(new: Int, known: Int)
    }

    /// The reason why nothing was imported.
    package enum Refusal: Error, Hashable {
        /// The event lies too far ahead of shared time (docs/protocol.md, "Time").
        case ahead(EventID)
        case tooLong(EventID)
        /// Neither log has the replica's event with this seq, but the file has later ones.
        case gap(ReplicaID, UInt64)
        /// The log, which belongs to no group, has another event with this name.
        case parted(EventID)
        /// The event was written under a key that isn't here.
        case unknownEpoch(EventID)
        case malformed(EventID)
        /// The device's log or its keys can't be used.
        case local(LocalFailure)
    }

    /// The laptop that imports the events.
    package let device: Device
    /// The file's events with their epochs, in the file's order.
    package let lines: [EventLine]
    /// The same events as a valid log.
    package let log: EventLog
    /// The present instant, in shared time.
    package let now: SharedInstant

    /// Makes an import, which `run` carries out.
    ///
    /// - Parameter now: The present instant, in shared time.
    package init(device: Device, lines: [EventLine], log: EventLog, now: SharedInstant) {
        self.device = device
        self.lines = lines
        self.log = log
        self.now = now
    }

    /// Merges the file if it is a log of this group, or else copies its history.
    ///
    /// - Parameter authoring: The transaction that contains the whole import. A throw rolls it back.
    /// - Throws: `Refusal` if the file can't be imported.
    package func run(_ authoring: inout AuthoringTransaction) throws(Refusal) -> Outcome {
        // Early events are refused in two cases. In a group: if the file belongs to the device's log, because
        // the server would refuse them. Outside a group: if the file is another log.
        // They are allowed in the two other cases. In a group, another log's history is moved back to now,
        // because shared time is right. Outside, a person can bring the log's own early events back later.
        let (isPart, isFirst, hasGroup) = try Refusal.converting { () throws(StoreError) in
            let isPart = try isPartOfLog()
            return (isPart, try isPart ? false : isLogUntouched(), try device.store.group() != nil)
        }
        let isOwnLog = isPart || isFirst
        if isOwnLog == hasGroup { try refuseEventsAhead(isOwnLog: isOwnLog) }
        if isFirst {
            try Refusal.converting { () throws(StoreError) in try takeBackFirstSettings(&authoring) }
        }
        if isOwnLog { return try merge() }
        return try Refusal.converting { () throws(StoreError) in try copyHistory(&authoring) }
    }

    /// Whether the file is a part of this device's log: they share a replica or an epoch.
    private func isPartOfLog() throws(StoreError) -> Bool {
        let store = device.store
        let replicas = Set(try store.replicas().filter { $0.seq > 0 }.map { $0.id })
        if lines.contains(where: { replicas.contains($0.event.id.replica) }) { return true }
        let epochs = Set(try store.epochs().map { $0.id })
        return lines.contains { $0.epoch.map(epochs.contains) ?? false }
    }

    /// Whether the device is in no group, and its log contains only what devices write by themselves at the
    /// start.
    private func isLogUntouched() throws(StoreError) -> Bool {
        guard try device.store.group() == nil else { return false }
        var events = try device.store.events(after: nil)
        while let event = try events.next() {
            if case .device = event.action { continue }
            guard Action.firstSettings.contains(event.action) else { return false }
        }
        return true
    }

    /// Takes back the settings that the device wrote by itself (`Action.firstSettings`), unless the file has
    /// the same values. Otherwise they would stay in force, because they are later than the file's. A `set`
    /// of the file's values would look like a person's press, which `focus undo` takes back.
    private func takeBackFirstSettings(_ authoring: inout AuthoringTransaction) throws(StoreError) {
        let settings = log.replayed().0.settings
        var first: [EventID] = []
        var events = try device.store.events(after: nil)
        while let event = try events.next() {
            guard case .set(let name, let value) = event.action, let key = SettingKey(rawValue: name),
                settings[key] != value
            else { continue }
            first.append(event.id)
        }
        guard !first.isEmpty else { return }
        try device.introduce(in: &authoring)
        try authoring.write(first.map { .undo($0) })
    }

    private func refuseEventsAhead(isOwnLog: Bool) throws(Refusal) {
        let latest = try Refusal.converting { () throws(StoreError) in try device.store.greatestStamp() }
        guard case .upTo(let limit) = Admission.server(now: now, latest: latest)
        else {
            return
        }
        for line in lines where line.event.stamp > limit {
            // Early events that were taken back have no effect on the history taken from another log.
            guard isOwnLog || !log.isTakenBack(line.event), try !isHere(line.event) else { continue }
            throw .ahead(line.event.id)
        }
    }

    /// Whether the log has an event with this name and stamp.
    private func isHere(_ event: Event) throws(Refusal) -> Bool {
        let stored = try Refusal.converting { () throws(StoreError) in
            try device.store.storedEvents(of: event.id.replica, from: event.id.seq, limit: 1).first
        }
        return stored?.id == event.id && stored?.stamp == event.stamp
    }

    private func merge() throws(Refusal) -> Outcome {
        let events = try storedEvents()
        let report = try Refusal.converting { () throws(StoreError) in
            try device.store.merge(events, acknowledged: false, at: now)
        }
        var branched = 0
        for (replica, stop) in report.stops.sorted(by: { $0.key < $1.key }) {
            switch stop {
            case .gap(let seq): throw .gap(replica, seq)
            case .malformed(let seq): throw .malformed(EventID(replica: replica, seq: seq))
            case .parted(let seq):
                branched += try mergeTail(events.filter { $0.id.replica == replica && $0.id.seq >= seq })
            }
        }
        let new = report.merged + branched
        return .merged(new: new, known: events.count - new, branched: branched)
    }

    /// Returns the file's events in the form of the device's log, each once, by replica and seq.
    private func storedEvents() throws(Refusal) -> [StoredEvent] {
        // Outside a group, a log has no epochs. If the device brings it to a group later, it is sealed under
        // the group's epoch.
        let (hasNoGroup, epochs) = try Refusal.converting { () throws(StoreError) in
            (try device.store.group() == nil, try device.store.epochs().map { $0.id })
        }
        var events: [EventID: StoredEvent] = [:]
        for line in lines {
            if let epoch = line.epoch, !hasNoGroup, !epochs.contains(epoch), try !isHere(line.event) {
                throw .unknownEpoch(line.event.id)
            }
            let stored = StoredEvent(line.event, epoch: hasNoGroup ? nil : line.epoch ?? epochs.last)
            guard stored.body.bytes.count <= SealedEvent.plainLimit else { throw .tooLong(line.event.id) }
            events[line.event.id] = stored
        }
        return events.values.sorted { $0.id < $1.id }
    }

    /// Adds one replica's events, beginning with the first that differs from the log's, to their branch
    /// (docs/protocol.md, "Parted branches").
    ///
    /// - Returns: The number of new events.
    private func mergeTail(_ tail: [StoredEvent]) throws(Refusal) -> Int {
        guard let first = tail.first else { return 0 }
        guard let log = try sealedLog() else { throw .parted(first.id) }
        for (event, next) in zip(tail, tail.dropFirst()) where next.id.seq - event.id.seq > 1 {
            throw .gap(event.id.replica, event.id.seq + 1)
        }
        return try Refusal.converting { () throws(StoreError) in
            // Chains new presses, because `DeviceStore.mergeTail` needs the chain before the tail.
            _ = try log.vector()
            return try device.store.mergeTail(tail, log)
        }
    }

    private func sealedLog() throws(Refusal) -> SealedLog? {
        do throws(LocalFailure) { return try SealedLog(device.store) } catch { throw .local(error) }
    }

    /// The end of the file's history: now, or the time of the last early event that wasn't taken back.
    private var end: SharedInstant {
        guard log.greatestStamp.time > now else { return now }
        let early = lines.map { $0.event }.filter { $0.time > now && !log.isTakenBack($0) }
        return early.map { $0.time }.max() ?? now
    }

    /// Adds the records of the file's history that the log lacks.
    private func copyHistory(_ authoring: inout AuthoringTransaction) throws(StoreError) -> Outcome {
        let (state, journal) = log.replayed()
        let history = HistoryTransfer(journal, state, at: end)
        let actions = history.actions(besides: try device.store.history().journal.sources, at: now)
        if !actions.isEmpty { try device.introduce(in: &authoring) }
        for action in actions { try authoring.write(action) }
        return .copiedHistory(new: actions.count, known: history.records.count - actions.count)
    }
}

extension LogImport.Refusal: ExpressibleByStoreError {
    /// The refusal because of an error of the device's log.
    package init(_ error: StoreError) { self = .local(.store(error)) }
}
