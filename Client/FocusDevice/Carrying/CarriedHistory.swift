package import FocusCore
import FocusFormats
package import FocusStore
import FocusText

/// The history of a log as `record`s, by which it is carried into another log: on import, and from a device's
/// own log when it joins a group that has one.
///
/// Each carries a source made of the run and phase it comes from, so that carrying it twice adds it once;
/// what was carried before keeps its source. A phase that was paused becomes a record for each of its
/// intervals, since a record has just one (`HistoryEntry.parts`).
package struct CarriedHistory: Sendable {
    /// One for each interval of each phase that has ended, by when the phase ended.
    package let records: [Action.Record]
    /// What they are made of, by when it ended.
    let phases: [PhaseRecord]
    private let wholes: SplitWholes

    /// The records that `journal` and `state` come to at `now`.
    package init(_ journal: Journal, _ state: ReplayState, at now: SharedInstant) {
        phases = History(journal, state, at: now).records.filter { $0.endedAt <= now }
        wholes = SplitWholes(journal, state, at: now)
        records = CarriedHistory.records(of: phases, wholes)
    }

    /// The records but for those that one phase is made into, which goes on.
    package func records(besides phase: RecordName?) -> [Action.Record] {
        guard let phase else { return records }
        return CarriedHistory.records(of: phases.filter { $0.name != phase }, wholes)
    }

    private static func records(of phases: [PhaseRecord], _ wholes: SplitWholes) -> [Action.Record] {
        phases.flatMap { HistoryEntry.parts(of: $0, splitOff: wholes.whole(of: $0.name)) }
            .compactMap { entry in entry.source.map(entry.record) }
    }

    /// The actions that carry the records into a log that holds records of `sources` already. What was split since it was
    /// brought there whole is there. What lies ahead of `now` is brought back to it.
    package func actions(besides sources: SourceSet, at now: SharedInstant) -> [Action] {
        records.filter { !sources.hasHad($0.source) }.broughtBack(to: now).map { .record($0) }
    }
}

extension CarriedHistory {
    /// How much a history is that is carried, for people.
    package struct Extent: Hashable, Sendable {
        /// The focus time.
        package let focus: Duration
        /// How many runs it comes from; what was added by hand or imported counts as one each.
        package let sessions: Int
        /// The day on which the first phase began, by the clocks of this place.
        package let first: Day

        /// So much of a history.
        package init(focus: Duration, sessions: Int, first: Day) {
            self.focus = focus
            self.sessions = sessions
            self.first = first
        }
    }

    /// How much it is; nil where it is empty.
    ///
    /// Cost: O(n log n) in the phases.
    package var extent: Extent? {
        guard let first = phases.map(\.startedAt).min() else { return nil }
        let calendar = LocalCalendar.here
        let runs = phases.map { $0.source.flatMap(PhasePart.init)?.phase.run ?? $0.run }
        let focus = Statistics(phases, calendar).days.reduce(.zero) { $0 + $1.total.focus }
        return Extent(focus: focus, sessions: Set(runs).count, first: calendar.day(of: first))
    }
}

/// What a laptop recorded alone, and may take along into a group that has a log: the history as facts, while the
/// group's settings and session hold (docs/timer-rules.md, `record`). Where the group has no session, the one that is open
/// goes on (§5).
///
/// The history is read before the device enters the group; the facts are written after.
package enum AloneHistory {
    /// What becomes of it.
    package enum Choice: Hashable, Sendable, CaseIterable {
        /// The group gets it.
        case takeAlong
        /// It stays in the copy of the log that is kept.
        case leaveBehind
    }

    /// What the person is in the middle of, to be asked before `read` ends it; nil where nothing runs.
    package static func inProgress(_ device: Device) throws -> ShownWork? {
        // If the clock has gone back, `read` ends it at the last event.
        let instant = max(try device.now(), try latestTime(device.store))
        return ShownWork(joiningIn: try whole(device.store).state, at: instant)
    }

    /// Ends what runs, and gives what the history is.
    package static func read(_ device: Device) throws -> CarriedHistory {
        let store = device.store
        let now = try device.now()
        if try store.eventCount() > 0 {
            _ = try store.author(now: now, counting: .all) { authoring in
                guard let run = TimerState(authoring.state, at: now).run else { return }
                try authoring.write(.stop(run.id, at: nil))
            }
        }
        return try history(device, whole(store), at: now)
    }

    /// What `read` would give now, and whether it would end something. It changes nothing.
    package static func preview(
        _ device: Device
    ) throws(StoreError) -> (history: CarriedHistory, endsRun: Bool) {
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

    private static func history(
        _ device: Device, _ found: (state: ReplayState, journal: Journal), at now: SharedInstant
    ) throws(StoreError) -> CarriedHistory {
        let end = max(now, try latestTime(device.store))
        return CarriedHistory(found.journal, found.state, at: end)
    }

    /// What the log comes to with the events that lie ahead: if the laptop's clock was wrong, they were worked all the
    /// same.
    private static func whole(
        _ store: DeviceStore
    ) throws(StoreError) -> (state: ReplayState, journal: Journal) {
        guard try store.earlyEvents() != nil else { return try store.history() }
        let events = try store.allStoredEvents().compactMap(\.event)
        guard let log = try? EventLog(events) else { return try store.history() }
        return log.replayed()
    }

    private static func latestTime(_ store: DeviceStore) throws(StoreError) -> SharedInstant {
        max(try store.greatestStamp(), try store.earlyEvents()?.latest ?? .zero).time
    }

    /// Writes the records down in the group's log. Those that lie ahead, since the laptop's clock was wrong, are
    /// brought back to now.
    package static func write(_ records: [Action.Record], _ device: Device) throws {
        guard !records.isEmpty else { return }
        let now = try device.now()
        _ = try device.store.author(now: now) { authoring in
            for record in records.broughtBack(to: now) { try authoring.write(.record(record)) }
        }
    }
}

extension [Action.Record] {
    /// The records with those that lie ahead of `now`, as their laptop's clock was wrong, brought back to it together.
    fileprivate func broughtBack(to now: SharedInstant) -> [Action.Record] {
        let ahead = Swift.max(.zero, (map(\.endedAt).max() ?? now) - now)
        return map { record in
            guard record.endedAt > now else { return record }
            var record = record
            record.startedAt -= ahead
            record.endedAt -= ahead
            return record
        }
    }
}
