package import FocusCore
import FocusFormats
package import FocusStore
import FocusText

/// The history of a log as `record` events, to be added to another log: by an import, or by a device that
/// takes its own history along when it joins a group.
///
/// Each record's source is made from the run and phase that the record comes from, so adding a record is
/// idempotent. A record that was itself added from elsewhere keeps its source. A paused phase becomes several
/// records, one for each interval, because a record has only one interval (`HistoryEntry.parts`).
package struct HistoryTransfer: Sendable {
    /// The records, one for each interval of each ended phase, sorted by the phase's end.
    package let records: [Action.Record]
    /// The ended phases that `records` is made from, sorted by their end.
    let phases: [PhaseRecord]
    /// The records as they were before other records were split off them.
    private let wholes: SplitWholes

    /// The records of the history that `journal` and `state` have at `now`.
    package init(_ journal: Journal, _ state: ReplayState, at now: SharedInstant) {
        phases = History(journal, state, at: now).records.filter { $0.endedAt <= now }
        wholes = SplitWholes(journal, state, at: now)
        records = HistoryTransfer.records(of: phases, wholes)
    }

    /// Returns the records without the records made from `phase`, which is still in progress. Returns all of
    /// them if `phase` is nil.
    package func records(besides phase: RecordName?) -> [Action.Record] {
        guard let phase else { return records }
        return HistoryTransfer.records(of: phases.filter { $0.name != phase }, wholes)
    }

    private static func records(of phases: [PhaseRecord], _ wholes: SplitWholes) -> [Action.Record] {
        phases.flatMap { HistoryEntry.parts(of: $0, splitOff: wholes.whole(of: $0.name)) }
            .compactMap { entry in entry.source.map(entry.record) }
    }

    /// Returns the actions that add these records to a log that already has records of `sources`. Skips the
    /// parts of a split record if the log has the whole. Records that end after `now` are moved back to it.
    package func actions(besides sources: SourceSet, at now: SharedInstant) -> [Action] {
        records.filter { !sources.containsOrigin($0.source) }.broughtBack(to: now).map { .record($0) }
    }
}

extension HistoryTransfer {
    /// The size of a history, for people.
    package struct Extent: Hashable, Sendable {
        /// The focus time.
        package let focus: Duration
        /// The number of runs that the history comes from. An entry that was imported or added by hand counts
        /// as one run.
        package let sessions: Int
        /// The day on which the first phase began.
        package let first: Day

        /// A history of this size.
        package init(focus: Duration, sessions: Int, first: Day) {
            self.focus = focus
            self.sessions = sessions
            self.first = first
        }
    }

    /// Returns the size of the history by the local days, or nil if it is empty.
    ///
    /// Cost: O(n log n) in the phases.
    package func extent(by calendar: LocalCalendar) -> Extent? {
        guard let first = phases.map({ $0.startedAt }).min() else { return nil }
        let runs = phases.map { $0.source.flatMap(PhasePart.init)?.phase.run ?? $0.run }
        let focus = Statistics(phases, calendar).days.reduce(.zero) { $0 + $1.total.focus }
        return Extent(focus: focus, sessions: Set(runs).count, first: calendar.day(of: first))
    }
}

/// The history that a laptop has recorded in no group, and may take along when it joins one. In the group,
/// the history becomes `record` events. The group keeps its own settings and session (docs/timer-rules.md,
/// `record`). If the group has no session, the laptop's open session continues (§5).
///
/// The history is read before the device enters the group, and written afterwards.
package enum SoloHistory {
    /// A person's decision about the history.
    package enum Choice: Hashable, Sendable, CaseIterable {
        /// It is written to the group's log.
        case takeAlong
        /// It stays only in the copy of the log that the laptop keeps.
        case leaveBehind
    }

    /// Returns the phase in progress, or nil if nothing is running or paused. Call it before `read`, which
    /// ends the session.
    package static func inProgress(_ device: Device) throws(StoreError) -> OfflineWorkNote? {
        // If the clock has gone back, `read` ends the session at the last event.
        let instant = max(try device.now(), try latestTime(device.store))
        return OfflineWorkNote(joiningIn: try whole(device.store).state, at: instant)
    }

    /// Ends the open session and returns the history.
    package static func read(_ device: Device) throws(StoreError) -> HistoryTransfer {
        let store = device.store
        let now = try device.now()
        if try store.eventCount() > 0 {
            _ = try store.author(now: now, counting: .all) { (authoring) throws(StoreError) in
                guard let run = TimerState(authoring.state, at: now).run else { return }
                try authoring.write(.stop(run.id, at: nil))
            }
        }
        return try history(device, whole(store), at: now)
    }

    /// Returns the history that `read` would return now, and whether it would end a session. Changes nothing.
    package static func preview(
        _ device: Device
    ) throws(StoreError) -> (history: HistoryTransfer, endsRun: Bool) {
        let now = try device.now()
        var (state, journal) = try whole(device.store)
        let run = TimerState(state, at: now).run
        if let run {
            var clock = LamportClock(
                last: max(try device.store.greatestStamp(), state.position?.stamp ?? .zero))
            if let stamp = clock.tick(now: now) {
                let stop = Event(
                    replica: run.id.position.replica, seq: .max, stamp: stamp, action: .stop(run.id, at: nil))
                state.apply(stop, isTakenBack: false, in: EventLog(), history: &journal)
            }
        }
        return (try history(device, (state, journal), at: now), run != nil)
    }

    /// Returns the history until `now`. If the clock has gone back, returns it until the latest event.
    private static func history(
        _ device: Device, _ found: (state: ReplayState, journal: Journal), at now: SharedInstant
    ) throws(StoreError) -> HistoryTransfer {
        let end = max(now, try latestTime(device.store))
        return HistoryTransfer(found.journal, found.state, at: end)
    }

    /// Replays the log with its early events: the work was done, even if the laptop's clock was wrong.
    private static func whole(
        _ store: DeviceStore
    ) throws(StoreError) -> (state: ReplayState, journal: Journal) {
        guard try store.earlyEvents() != nil else { return try store.history() }
        let events = try store.allStoredEvents().compactMap { $0.event }
        guard let log = try? EventLog(events) else { return try store.history() }
        return log.replayed()
    }

    /// Returns the time of the latest event, early events included.
    private static func latestTime(_ store: DeviceStore) throws(StoreError) -> SharedInstant {
        max(try store.greatestStamp(), try store.earlyEvents()?.latest ?? .zero).time
    }

    /// Writes the records to the group's log. Records that end after now, because the laptop's clock was
    /// wrong, are moved back to now.
    package static func write(_ records: [Action.Record], _ device: Device) throws(StoreError) {
        guard !records.isEmpty else { return }
        let now = try device.now()
        _ = try device.store.author(now: now) { (authoring) throws(StoreError) in
            for record in records.broughtBack(to: now) { try authoring.write(.record(record)) }
        }
    }
}

extension [Action.Record] {
    /// Returns the records. The records that end after `now` are all moved back by the same time, so that the
    /// last of them ends at `now`.
    fileprivate func broughtBack(to now: SharedInstant) -> [Action.Record] {
        let ahead = Swift.max(.zero, (map { $0.endedAt }.max() ?? now) - now)
        return map { record in
            guard record.endedAt > now else { return record }
            var record = record
            record.startedAt -= ahead
            record.endedAt -= ahead
            return record
        }
    }
}
