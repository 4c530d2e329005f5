import FocusCore
import FocusStore
import FocusSync
import FocusText

/// A log as text that is being taken into the device's log, in one transaction.
struct LogImport {
    /// What was done.
    enum Outcome: Hashable {
        /// Events that were new, and those that the log had.
        case merged(new: Int, known: Int)
        /// Records that were new, and those that the log had.
        case carried(new: Int, known: Int)
    }

    /// Why nothing was taken.
    enum Refusal: Error, Hashable {
        /// The event lies too far ahead of shared time (docs/protocol.md, "Time").
        case ahead(EventID)
        case tooLong(EventID)
        /// The replica's event of this seq is in neither log, and later ones are in the file.
        case gap(ReplicaID, UInt64)
        /// The log has another event of this name.
        case parted(EventID)
        case malformed(EventID)
    }

    let device: Device
    let lines: [EventLine]
    /// The same events, found to be a log.
    let log: EventLog
    /// Shared time, milliseconds since the Unix epoch.
    let now: Int64

    func run(_ authoring: inout Authoring) throws -> Outcome {
        try refuseEventsAhead()
        return try isOwnLog() ? merge() : carry(&authoring)
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
        var events = store.events(after: nil)
        while let event = try events.next() {
            guard case .device = event.action else { return false }
        }
        return true
    }

    private func refuseEventsAhead() throws {
        let (microseconds, overflow) = now.multipliedReportingOverflow(by: 1000)
        let latest = try device.store.greatestStamp()
        guard !overflow, case .upTo(let limit) = Admission.server(now: microseconds, latest: latest) else {
            return
        }
        for line in lines where line.event.stamp > limit {
            guard try device.store.event(line.event.id) == nil else { continue }
            throw Refusal.ahead(line.event.id)
        }
    }

    private func merge() throws -> Outcome {
        let store = device.store
        // Alone, a log has no epochs: what the device brings to a group later is sealed under that group's.
        let isAlone = try store.group() == nil
        let newest = try store.epochs().last?.id
        var events: [EventID: StoredEvent] = [:]
        for line in lines {
            let stored = StoredEvent(line.event, epoch: isAlone ? nil : line.epoch ?? newest)
            guard stored.body.bytes.count <= SealedEvent.plainLimit else {
                throw Refusal.tooLong(line.event.id)
            }
            events[line.event.id] = stored
        }
        let report = try store.merge(events.values.sorted { $0.id < $1.id }, acknowledged: false)
        if let (replica, stop) = report.stops.min(by: { $0.key < $1.key }) {
            switch stop {
            case .gap(let seq): throw Refusal.gap(replica, seq)
            case .parted(let seq): throw Refusal.parted(EventID(replica: replica, seq: seq))
            case .malformed(let seq): throw Refusal.malformed(EventID(replica: replica, seq: seq))
            }
        }
        return .merged(new: report.merged, known: events.count - report.merged)
    }

    private func carry(_ authoring: inout Authoring) throws -> Outcome {
        let (state, journal) = log.replayed()
        let history = CarriedHistory(of: log, state, journal, at: now)
        let actions = history.actions(besides: try device.store.recordSources())
        if !actions.isEmpty { try device.introduce(in: &authoring) }
        for action in actions { try authoring.write(action) }
        return .carried(new: actions.count, known: history.records.count - actions.count)
    }
}
