/// A note of the phases that a device showed while no other device received its events. It has only runs on
/// which somebody pressed at that device in that time. The device writes the note before it merges the other
/// devices' events. So the work stays in the history, even if merging removes the runs (docs/timer-rules.md §5).
package struct OfflineWorkNote: Hashable, Sendable {
    /// A run in the note.
    package struct Run: Hashable, Sendable {
        let id: RunID
        /// The instant at which the first press on the run here took effect.
        var from: SharedInstant
        /// The stamp of the last press on the run here. It is zero if the run was in the device's own log,
        /// before it joined a group.
        var lastPress: Stamp
        /// Whether the device began the run while it was cut off, and the run has ended.
        var isOwnAndEnded: Bool
        /// The phases of the run, in order. The phase in progress is noted as if it had been stopped at the
        /// instant of the note.
        var phases: [PhaseRecord]
    }

    /// The phase in progress, running or paused.
    package struct Present: Hashable, Sendable {
        /// The phase, as if it had been stopped at the instant of the note.
        let phase: PhaseRecord
        let isPaused: Bool
        /// The time that the phase had left. It is negative in overtime.
        let remaining: Duration

        /// The name of the record that the phase leaves when it ends.
        package var name: RecordName { phase.name }

        /// The instant at which the phase ends if it keeps running.
        var endsAt: SharedInstant { phase.endedAt + remaining }
    }

    /// The instant of the note.
    package let notedAt: SharedInstant
    /// The noted runs, ordered by id.
    package private(set) var runs: [Run] = []
    /// The phase that the person at the device is in the middle of. It is nil if there was none in the noted
    /// runs, if it had run for less than a second, or if the machine has slept since.
    package private(set) var present: Present?

    /// The shortest work that is worth a record of its own.
    static let shortest = Duration.seconds(60)

    /// The number of records, from the end of the history, that are searched for phases to note.
    private static let mostPhases = 2000

    /// The noted phases of all runs.
    package var phases: [PhaseRecord] { runs.flatMap { $0.phases } }

    init(notedAt: SharedInstant, runs: [Run], present: Present?) {
        self.notedAt = notedAt
        self.runs = runs
        self.present = present
    }

    /// Creates the note of the phases that the device shows at an instant, in runs that its pending events
    /// begin or act on. Returns nil if there are none.
    ///
    /// Cost: linear in the history, and in the undos that may affect pending events.
    ///
    /// - Parameters:
    ///   - pending: The device's events that no other device has received yet, in replay order.
    ///   - journal: The entries that replaying `log` found for the history.
    ///   - state: The state after replaying `log`.
    ///   - own: All replicas under which this device has written.
    ///   - isAsleep: Whether the machine has slept since that instant, so that nobody is in the middle of a
    ///     phase.
    package init?<Log: ReplayLog>(
        of pending: [Event], in log: borrowing Log, _ journal: Journal, _ state: ReplayState,
        own: Set<ReplicaID>, isAsleep: Bool = false, at instant: SharedInstant
    ) throws(Log.Failure) {
        notedAt = instant
        // A correction of times doesn't change the times that were shown.
        let history = History(journal, state, at: instant, isAsWorked: true)
        var pressed: [RunID: Run] = [:]
        var changes = UndoResolver()
        for event in pending where try !log.isTakenBack(event) {
            guard let target = try changes.change(by: event, in: log), let id = target.runChanged else {
                continue
            }
            let from = min(event.action.at ?? event.time, target.action.at ?? target.time)
            var run = pressed[id] ?? Run(id, from: from, lastPress: event.stamp)
            run.from = min(run.from, from)
            run.lastPress = max(run.lastPress, event.stamp)
            if case .start = event.action { run.isOwnAndEnded = own.contains(id.starter) }
            pressed[id] = run
        }
        guard !pressed.isEmpty else { return nil }
        for record in history.records.suffix(OfflineWorkNote.mostPhases)
        where record.source == nil && record.active >= OfflineWorkNote.shortest {
            guard let from = pressed[record.run]?.from, from < record.endedAt else { continue }
            pressed[record.run]?.phases.append(record)
        }
        for id in pressed.keys where state.isOpen(id, at: instant) { pressed[id]?.isOwnAndEnded = false }
        if let id = state.current?.id, pressed[id] != nil {
            let inProgress = Present(in: state, at: instant)
            if let phase = inProgress?.phase { pressed[id]?.phases.append(phase) }
            if !isAsleep { present = inProgress }
        }
        runs = pressed.values.filter { !$0.phases.isEmpty }.sorted { $0.id < $1.id }
        if runs.isEmpty { return nil }
    }

    /// Creates the note of the phase in progress on a device that joins a group. That phase isn't in the
    /// history yet. Returns nil if no phase is in progress.
    package init?(joiningIn state: ReplayState, at instant: SharedInstant) {
        guard let present = Present(in: state, at: instant) else { return nil }
        var run = Run(present.phase.run, from: present.phase.startedAt, lastPress: .zero)
        run.phases = [present.phase]
        // `endedAt` is later than `instant` if the device's clock was ahead when somebody pressed on the run.
        self.init(notedAt: present.phase.endedAt, runs: [run], present: present)
    }

    /// Returns the note, moved back to `now` if it lies later because the clock of a laptop without a group
    /// was ahead.
    package func broughtBack(to now: SharedInstant) -> OfflineWorkNote {
        let ahead = notedAt - now
        guard ahead > .zero, runs.allSatisfy({ $0.isOfAnotherLog }) else {
            return self
        }
        let runs = runs.map { run in
            var run = run
            run.from = .zero
            run.phases = run.phases.map { $0.earlier(by: ahead) }
            return run
        }
        return OfflineWorkNote(
            notedAt: now, runs: runs,
            present: present.map {
                Present(
                    phase: $0.phase.earlier(by: ahead), isPaused: $0.isPaused,
                    remaining: $0.remaining)
            })
    }

    /// Returns the note with its runs renamed by `map`, because their events moved to another replica.
    package func renaming(_ map: (RunID) -> RunID) -> OfflineWorkNote {
        OfflineWorkNote(
            notedAt: notedAt,
            runs: runs.map { run in
                Run(
                    id: map(run.id), from: run.from, lastPress: run.lastPress,
                    isOwnAndEnded: run.isOwnAndEnded, phases: run.phases.map { $0.renamed(map) })
            }.sorted { $0.id < $1.id },
            present: present.map {
                Present(phase: $0.phase.renamed(map), isPaused: $0.isPaused, remaining: $0.remaining)
            })
    }

    /// Returns this note merged with a later one. An interrupted attempt to merge the other devices' events
    /// has left this note.
    package func adding(_ later: OfflineWorkNote?) -> OfflineWorkNote {
        guard let later else { return self }
        var runs: [RunID: Run] = [:]
        for run in self.runs where runs[run.id] == nil { runs[run.id] = run }
        for run in later.runs {
            guard var noted = runs[run.id] else {
                runs[run.id] = run
                continue
            }
            noted.from = min(noted.from, run.from)
            noted.lastPress = max(noted.lastPress, run.lastPress)
            noted.isOwnAndEnded = run.isOwnAndEnded
            for phase in run.phases {
                if let place = noted.phases.firstIndex(where: { $0.ordinal == phase.ordinal }) {
                    if noted.phases[place].active < phase.active {
                        noted.phases[place] = phase
                    }
                } else {
                    noted.phases.append(phase)
                }
            }
            runs[run.id] = noted
        }
        return OfflineWorkNote(
            notedAt: later.notedAt, runs: runs.values.sorted { $0.id < $1.id }, present: later.present)
    }
}

extension OfflineWorkNote.Run {
    fileprivate init(_ id: RunID, from: SharedInstant, lastPress: Stamp) {
        self.init(id: id, from: from, lastPress: lastPress, isOwnAndEnded: false, phases: [])
    }
}

extension ReplayState {
    /// Whether the run is still open at an instant.
    fileprivate func isOpen(_ id: RunID, at instant: SharedInstant) -> Bool {
        guard let place = place(of: id), var run = openRun(in: place) else { return false }
        var ended = EndedPhases()
        return run.advance(to: max(instant, latestEffect), settings(in: place), &ended) == .open
    }
}

extension PhaseRecord {
    fileprivate func renamed(_ map: (RunID) -> RunID) -> PhaseRecord {
        PhaseRecord(
            run: map(run), ordinal: ordinal, startedAt: startedAt, endedAt: endedAt, label: label,
            spans: spans, activity: activity, outcome: outcome, source: source)
    }

    /// Returns the phase as if it had been earlier by `length`, with no part of it before the Unix epoch.
    fileprivate func earlier(by length: Duration) -> PhaseRecord {
        let moved = { (instant: SharedInstant) in max(.zero, instant - length) }
        var spans = Spans.none
        for interval in self.spans.intervals { spans.add(from: moved(interval.from), to: moved(interval.to)) }
        return PhaseRecord(
            run: run, ordinal: ordinal, startedAt: moved(startedAt), endedAt: moved(endedAt), label: label,
            spans: spans, activity: activity, outcome: outcome, source: source)
    }
}

extension OfflineWorkNote.Present {
    fileprivate init?(in state: ReplayState, at instant: SharedInstant) {
        var ended = EndedPhases()
        guard let run = state.advanced(to: instant, &ended) else { return nil }
        let instant = max(instant, state.latestEffect)
        let isPaused = run.isPaused
        let remaining = run.left(at: instant)
        var inProgress = EndedPhases()
        run.endPhase(at: instant, .stopped, &inProgress)
        guard let phase = inProgress.records.first else { return nil }
        self.init(phase: phase, isPaused: isPaused, remaining: remaining)
    }
}
