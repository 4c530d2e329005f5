package import FocusCore
package import FocusDevice
package import FocusStore
import FocusSync
package import FocusText

/// A log as text that is being taken into the device's log, in one transaction.
package struct LogImport {
    /// What was done.
    package enum Outcome: Hashable {
        /// Events that were new, those that the log had, and how many of the new ones stand on a branch, since the
        /// log says something else where they stood in the file.
        case merged(new: Int, known: Int, branched: Int)
        /// Records that were new, and those that the log had.
        case carried(new: Int, known: Int)
    }

    /// Why nothing was taken.
    package enum Refusal: Error, Hashable {
        /// The event lies too far ahead of shared time (docs/protocol.md, "Time").
        case ahead(EventID)
        case tooLong(EventID)
        /// The replica's event of this seq is in neither log, and later ones are in the file.
        case gap(ReplicaID, UInt64)
        /// The log, which is of no group, has another event of this name.
        case parted(EventID)
        /// The event was written under a key that isn't here.
        case unknownEpoch(EventID)
        case malformed(EventID)
    }

    /// The laptop whose log takes the events.
    package let device: Device
    /// The file's events as they stand there, with their epochs.
    package let lines: [EventLine]
    /// The same events, found to be a log.
    package let log: EventLog
    /// Shared time.
    package let now: SharedInstant

    /// An import that `run` carries out.
    ///
    /// - Parameter now: shared time.
    package init(device: Device, lines: [EventLine], log: EventLog, now: SharedInstant) {
        self.device = device
        self.lines = lines
        self.log = log
        self.now = now
    }

    /// Merges the file where it is this group's log, and else carries over the history that it makes.
    ///
    /// - Parameter authoring: the transaction that all of it is part of: what throws takes everything back.
    /// - Throws: `Refusal` where nothing may be taken; what the store throws.
    package func run(_ authoring: inout Authoring) throws -> Outcome {
        // Alone, what lies ahead is early, and can be brought back to now; a server would take none of it. Of another log
        // only the history is taken: in a group, whose time it is that counts, it is brought back at once.
        let isOwnLog = try isOwnLog()
        if try isOwnLog == (device.store.group() != nil) { try refuseEventsAhead(isOwnLog: isOwnLog) }
        return try isOwnLog ? merge() : carry(&authoring)
    }

    /// Whether the file is a log that this device's is part of: it has a replica or an epoch with it in
    /// common, or there is nothing here yet but a name.
    private func isOwnLog() throws -> Bool {
        let store = device.store
        let replicas = Set(try store.replicas().filter { $0.seq > 0 }.map(\.id))
        if lines.contains(where: { replicas.contains($0.event.id.replica) }) { return true }
        let epochs = Set(try store.epochs().map(\.id))
        if lines.contains(where: { $0.epoch.map(epochs.contains) ?? false }) { return true }
        guard try store.group() == nil else { return false }
        var events = try store.events(after: nil)
        while let event = try events.next() {
            guard case .device = event.action else { return false }
        }
        return true
    }

    private func refuseEventsAhead(isOwnLog: Bool) throws {
        let latest = try device.store.greatestStamp()
        guard case .upTo(let limit) = Admission.server(now: now, latest: latest)
        else {
            return
        }
        for line in lines where line.event.stamp > limit {
            // What was taken back before its time says nothing in the history that is taken of another log.
            guard try !isHere(line.event), isOwnLog || !log.isTakenBack(line.event) else { continue }
            throw Refusal.ahead(line.event.id)
        }
    }

    /// Whether the log has an event of this name and stamp.
    private func isHere(_ event: Event) throws -> Bool {
        let stored = try device.store.storedEvents(of: event.id.replica, from: event.id.seq, limit: 1).first
        return stored?.id == event.id && stored?.stamp == event.stamp
    }

    private func merge() throws -> Outcome {
        let events = try storedEvents()
        let report = try device.store.merge(events, acknowledged: false, at: now)
        var branched = 0
        for (replica, stop) in report.stops.sorted(by: { $0.key < $1.key }) {
            switch stop {
            case .gap(let seq): throw Refusal.gap(replica, seq)
            case .malformed(let seq): throw Refusal.malformed(EventID(replica: replica, seq: seq))
            case .parted(let seq):
                branched += try graft(events.filter { $0.id.replica == replica && $0.id.seq >= seq })
            }
        }
        let new = report.merged + branched
        return .merged(new: new, known: events.count - new, branched: branched)
    }

    /// The file's events as the device's log keeps them, each once, by replica and seq.
    private func storedEvents() throws -> [StoredEvent] {
        // Alone, a log has no epochs: what the device brings to a group later is sealed under that group's.
        let isAlone = try device.store.group() == nil
        let epochs = try device.store.epochs().map(\.id)
        var events: [EventID: StoredEvent] = [:]
        for line in lines {
            if let epoch = line.epoch, !isAlone, !epochs.contains(epoch), try !isHere(line.event) {
                throw Refusal.unknownEpoch(line.event.id)
            }
            let stored = StoredEvent(line.event, epoch: isAlone ? nil : line.epoch ?? epochs.last)
            guard stored.body.bytes.count <= SealedEvent.plainLimit else {
                throw Refusal.tooLong(line.event.id)
            }
            events[line.event.id] = stored
        }
        return events.values.sorted { $0.id < $1.id }
    }

    /// Takes in one replica's events, from the first that the log has otherwise, on their branch
    /// (docs/protocol.md, "Parted branches"). Gives how many of them were new.
    private func graft(_ tail: [StoredEvent]) throws -> Int {
        guard let first = tail.first else { return 0 }
        guard let group = try SealedLog(device.store) else { throw Refusal.parted(first.id) }
        for (event, next) in zip(tail, tail.dropFirst()) where next.id.seq - event.id.seq > 1 {
            throw Refusal.gap(event.id.replica, event.id.seq + 1)
        }
        _ = try group.vector()
        return try device.store.graft(tail, group)
    }

    /// Up to when the file's history goes: to now, or to the last event that lies ahead and wasn't taken back.
    private var end: SharedInstant {
        guard log.greatestStamp.time > now else { return now }
        return lines.map(\.event).filter { $0.time > now && !log.isTakenBack($0) }.map(\.time).max() ?? now
    }

    private func carry(_ authoring: inout Authoring) throws -> Outcome {
        let (state, journal) = log.replayed()
        let history = CarriedHistory(journal, state, at: end)
        let actions = history.actions(besides: try device.store.history().journal.sources, at: now)
        if !actions.isEmpty { try device.introduce(in: &authoring) }
        for action in actions { try authoring.write(action) }
        return .carried(new: actions.count, known: history.records.count - actions.count)
    }
}
