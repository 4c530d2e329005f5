package import FocusCore

extension NaiveState {
    /// Production's state at `now` as a `NaiveState`, the state of the second implementation of the timer
    /// rules. So tests can compare the two.
    package init(_ timeline: Timeline, at now: SharedInstant) {
        self.init(
            timeline.state, TimerState(timeline.state, at: now),
            History(timeline.journal, timeline.state, at: now), at: now)
    }

    /// Production's state at `now` after a replay that produced `state` and `journal`.
    package init(_ state: ReplayState, _ journal: Journal, at now: SharedInstant) {
        self.init(
            state, TimerState(state, at: now), History(journal, state, at: now), at: now)
    }

    private init(_ replay: ReplayState, _ timer: TimerState, _ history: History, at now: SharedInstant) {
        let presentation = Presentation(timer)
        self.init(
            now: now, status: "stopped", activity: timer.run?.activity.rawValue ?? "work",
            statusLabel: presentation.statusLabel.rawValue, mainButton: presentation.mainButton.rawValue,
            showsStop: presentation.showsStop, theme: presentation.theme.rawValue,
            remaining: presentation.remaining, clock: presentation.clock,
            added: presentation.added, overtime: presentation.overtime, run: timer.run?.id,
            ordinal: timer.run?.ordinal, endsAt: nil,
            completedCycles: timer.run?.completedCycles ?? 0,
            label: timer.run?.label ?? "", settings: NaiveSettings(timer.settings),
            profiles: replay.profiles.map { NaiveProfile(name: $0.name, values: naiveValues($0.lengths)) },
            sideRuns: timer.sideRuns,
            devices: replay.devices.mapValues(\.name), rulings: replay.rulings.mapValues { NaiveRuling($0) },
            server: replay.server.map { NaiveServer(key: $0.key, replica: $0.replica) },
            history: history.records.map { NaiveRecord($0) },
            events: Int(replay.eventCount), unknown: Int(replay.unknownCount))
        switch timer.status {
        case .stopped:
            break
        case .waiting(_, let begins, _):
            status = "waiting"
            self.endsAt = begins
        case .running(_, let endsAt, _):
            status = "running"
            self.endsAt = endsAt
        case .paused:
            status = "paused"
        }
    }
}

extension NaiveSettings {
    /// Production's settings, by their names in the log.
    package init(_ settings: Settings) {
        self.init()
        values = Dictionary(uniqueKeysWithValues: SettingKey.allCases.map { ($0.rawValue, settings[$0]) })
    }
}

extension NaiveRuling {
    /// Production's ruling, as the second implementation would write it.
    package init(_ ruling: Ruling) {
        self.init(
            verdict: ruling.isRevoked ? "revoked" : "readmitted", replica: ruling.position.replica,
            stamp: ruling.position.stamp)
    }
}

extension NaiveRecord {
    /// Production's record, as the second implementation would write it.
    package init(_ record: PhaseRecord) {
        self.init(
            run: record.run, ordinal: record.ordinal, activity: record.activity.rawValue,
            startedAt: record.startedAt, endedAt: record.endedAt,
            intervals: record.spans.intervals.map { NaiveInterval(from: $0.from, to: $0.to) },
            outcome: record.outcome.rawValue, label: record.label)
    }
}
