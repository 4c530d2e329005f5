/// What a device has shown of the sessions that were pressed on there while nobody else heard of it. It is noted before the
/// device takes in what the others have, so that what was worked stays in the history whatever becomes of those sessions
/// (docs/timer-rules.md §5).
package struct ShownWork: Hashable, Sendable {
    /// One of those sessions.
    package struct Run: Hashable, Sendable {
        let id: RunID
        /// When the first of the presses took effect.
        var from: SharedInstant
        /// The stamp of the last of them; zero where they were pressed in a log of the device's own.
        var lastPress: Stamp
        /// Whether the device began it while it was cut off, and it has ended.
        var isOwnAndEnded: Bool
        /// Its phases, in order; the one in progress as if it had been stopped when this was noted.
        var phases: [PhaseRecord]
    }

    /// The phase that was in progress, and running or paused.
    package struct Present: Hashable, Sendable {
        let phase: PhaseRecord
        let isPaused: Bool
        /// How long it had still to go.
        let remaining: Duration

        /// What names the record that the phase leaves where it ends.
        package var name: RecordName { phase.name }

        /// When it is over, where it is running.
        var endsAt: SharedInstant { phase.endedAt + remaining }
    }

    /// When this was noted.
    package let notedAt: SharedInstant
    /// The sessions of which something was shown, by their ids.
    package private(set) var runs: [Run] = []
    /// What whoever is at the device is in the middle of; nil where nothing ran, or it waited for its first start.
    package private(set) var present: Present?

    /// What lasted less than this isn't worth a record of its own.
    static let shortest = Duration.seconds(60)

    /// The most phases that are noted, the last ones.
    private static let mostPhases = 2000

    /// All phases that were noted.
    package var phases: [PhaseRecord] { runs.flatMap { $0.phases } }

    init(notedAt: SharedInstant, runs: [Run], present: Present?) {
        self.notedAt = notedAt
        self.runs = runs
        self.present = present
    }

    /// What the device shows at an instant; nil where nothing of it was pressed there
    /// while nobody else heard of it.
    ///
    /// Cost: linear in the history, and in the undos that bear on what is pending.
    ///
    /// - Parameters:
    ///   - pending: The device's events that nobody else has had yet, in replay order.
    ///   - journal: What replay of `log` found for the history.
    ///   - state: What it came to.
    ///   - own: All replicas that this device has been.
    ///   - isAsleep: Whether the machine has slept since that instant, so that nobody is in the middle of anything.
    package init?<Log: ReplayLog>(
        of pending: [Event], in log: borrowing Log, _ journal: Journal, _ state: ReplayState,
        own: Set<ReplicaID>, isAsleep: Bool = false, at instant: SharedInstant
    ) throws(Log.Failure) {
        notedAt = instant
        // When somebody says that it was is no matter of what was shown.
        let history = History(journal, state, at: instant, isAsWorked: true)
        var pressed: [RunID: Run] = [:]
        var changes = ChangesTakenBack()
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
        for record in history.records.suffix(ShownWork.mostPhases)
        where record.source == nil && record.active >= ShownWork.shortest {
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

    /// A session that the device was in the middle of before it joined a group, of which the phase in progress isn't in
    /// the history yet. Nil where none was.
    package init?(joiningIn state: ReplayState, at instant: SharedInstant) {
        guard let present = Present(in: state, at: instant) else { return nil }
        var run = Run(present.phase.run, from: present.phase.startedAt, lastPress: .zero)
        run.phases = [present.phase]
        // Later than the instant where the clock by which it was pressed was ahead.
        self.init(notedAt: present.phase.endedAt, runs: [run], present: present)
    }

    /// The same, brought back to `now` where it lies ahead, since the clock of a laptop
    /// that was alone was wrong.
    package func broughtBack(to now: SharedInstant) -> ShownWork {
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
        return ShownWork(
            notedAt: now, runs: runs,
            present: present.map {
                Present(
                    phase: $0.phase.earlier(by: ahead), isPaused: $0.isPaused,
                    remaining: $0.remaining)
            })
    }

    /// The same, with the runs named as `map` gives them: their events moved to another replica.
    package func renaming(_ map: (RunID) -> RunID) -> ShownWork {
        ShownWork(
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

    /// What was noted before, by an attempt to take in what the others have that was cut short, together with this.
    package func adding(_ later: ShownWork?) -> ShownWork {
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
        return ShownWork(
            notedAt: later.notedAt, runs: runs.values.sorted { $0.id < $1.id }, present: later.present)
    }
}

extension ShownWork.Run {
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

    /// The phase as if it had been so much earlier, none of it before the Unix epoch.
    fileprivate func earlier(by length: Duration) -> PhaseRecord {
        let moved = { (instant: SharedInstant) in max(.zero, instant - length) }
        var spans = Spans.none
        for interval in self.spans.intervals { spans.add(from: moved(interval.from), to: moved(interval.to)) }
        return PhaseRecord(
            run: run, ordinal: ordinal, startedAt: moved(startedAt), endedAt: moved(endedAt), label: label,
            spans: spans, activity: activity, outcome: outcome, source: source)
    }
}

extension ShownWork.Present {
    fileprivate init?(in state: ReplayState, at instant: SharedInstant) {
        var ended = EndedPhases()
        guard let run = state.advanced(to: instant, &ended) else { return nil }
        let instant = max(instant, state.latestEffect)
        let isPaused = run.isPaused
        let remaining =
            switch run.clock {
            case .running(_, let endsAt): endsAt - instant
            case .paused(let remaining): remaining
            }
        var inProgress = EndedPhases()
        run.endPhase(at: instant, .stopped, &inProgress)
        guard let phase = inProgress.records.first else { return nil }
        self.init(phase: phase, isPaused: isPaused, remaining: remaining)
    }
}
