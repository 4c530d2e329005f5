package import FocusCore

/// The JSON of a state, as `focus replay --json` and `focus status --json` write it.
package enum StateDocument {
    /// Returns the members that both commands write.
    ///
    /// - Parameter state: The state after replaying the log.
    package static func members(_ state: ReplayState, at now: SharedInstant) -> [JSON.Member] {
        let timer = TimerState(state, at: now)
        let shown = Presentation(timer)
        // A paused phase has no end yet.
        let endsAt: SharedInstant? = if case .paused = timer.status { nil } else { timer.end }
        return [
            JSON.Member("now", .instant(now)),
            JSON.Member("status", .string(timer.statusName)),
            JSON.Member("activity", .string((timer.run?.activity ?? .work).rawValue)),
            JSON.Member("statusLabel", .string(shown.statusLabel.rawValue)),
            JSON.Member("mainButton", .string(shown.mainButton.rawValue)),
            JSON.Member("stopShown", .bool(shown.showsStop)),
            JSON.Member("theme", .string(shown.theme.rawValue)),
            JSON.Member("remainingMs", .milliseconds(shown.remaining)),
            JSON.Member("clock", .string(shown.clock)),
            JSON.Member("addedMs", .milliseconds(shown.added)),
            JSON.Member("overtimeMs", shown.overtime.map(JSON.milliseconds) ?? .null),
            JSON.Member("run", .optional(timer.run?.id.text)),
            JSON.Member("ordinal", .optional(timer.run?.ordinal)),
            JSON.Member("endsAt", .optional(endsAt)),
            JSON.Member("completedCycles", .integer(timer.run?.completedCycles ?? 0)),
            JSON.Member("label", .string(timer.run?.label ?? "")),
            JSON.Member("settings", settings(timer.settings)),
            JSON.Member("profiles", .array(state.profiles.map { $0.json })),
            JSON.Member("sideRuns", .array(timer.sideRuns.map { .string($0.text) })),
            JSON.Member("devices", devices(state)),
        ]
    }

    /// Returns the members with the numbers of the log's events.
    package static func counts(_ state: ReplayState) -> [JSON.Member] {
        [
            JSON.Member("events", .integer(state.eventCount)),
            JSON.Member("unknown", .integer(state.unknownCount)),
        ]
    }

    /// Returns the whole object of `focus replay --json`.
    package static func replay(_ state: ReplayState, _ journal: Journal, at now: SharedInstant) -> JSON {
        let history = JSON.Member("history", self.history(History(journal, state, at: now)))
        return .object(members(state, at: now) + [history] + counts(state))
    }

    /// Returns the records of a history as an array.
    package static func history(_ history: History) -> JSON {
        .array(history.records.map { record($0) })
    }

    private static func record(_ record: PhaseRecord) -> JSON { .object(members(of: record)) }

    /// Returns the members of one record of a history.
    package static func members(of record: PhaseRecord) -> [JSON.Member] {
        [
            JSON.Member("run", .string(record.run.text)),
            JSON.Member("ordinal", .integer(record.ordinal)),
            JSON.Member("activity", .string(record.activity.rawValue)),
            JSON.Member("startedAt", .instant(record.startedAt)),
            JSON.Member("endedAt", .instant(record.endedAt)),
            JSON.Member(
                "intervals",
                .array(record.spans.intervals.map { .array([.instant($0.from), .instant($0.to)]) })),
            JSON.Member("activeMs", .milliseconds(record.active)),
            JSON.Member("outcome", .string(record.outcome.rawValue)),
            JSON.Member("label", .string(record.label)),
        ]
    }

    private static func settings(_ settings: Settings) -> JSON {
        .object(SettingKey.allCases.map { JSON.Member($0.rawValue, .integer(settings[$0])) })
    }

    private static func devices(_ state: ReplayState) -> JSON {
        .object(
            state.devices.sorted { $0.key < $1.key }.map { JSON.Member($0.key.text, .string($0.value.name)) })
    }
}

extension Profile {
    /// The profile as an object: its name, then its values under the names of their settings.
    package var json: JSON { .object([JSON.Member("name", .string(name))] + lengths.members) }
}

extension RecentPress {
    /// The member `lastPress` of `focus status --json`.
    package var json: JSON {
        .object([
            JSON.Member("action", .string(isRedo ? "redo" : action.name)),
            JSON.Member("by", .string(device)), JSON.Member("at", .instant(time)),
        ])
    }
}

extension AbsenceQuestion {
    /// The member `idle` of `focus status --json`.
    package var json: JSON {
        .object([JSON.Member("from", .instant(from)), JSON.Member("until", .instant(until))])
    }
}

extension TimerState {
    /// The status in JSON: `stopped`, `waiting`, `running` or `paused`.
    package var statusName: String {
        switch status {
        case .stopped: "stopped"
        case .waiting: "waiting"
        case .running: "running"
        case .paused: "paused"
        }
    }
}
