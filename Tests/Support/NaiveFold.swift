import FocusCore

/// The state of the fold (docs/timer-rules.md §4). There is one method for each action, in the words of the
/// rules.
struct NaiveFold {
    let undo: NaiveUndo
    var settings = NaiveSettings()
    /// The saved profiles, ordered by the scalars of their names.
    var profiles: [NaiveProfile] = []
    var runs: [RunID: NaiveRun] = [:]
    var currentID: RunID?
    /// `A`: the latest effective instant so far.
    var latest: SharedInstant = 0
    var devices: [ReplicaID: String] = [:]
    var rulings: [Digest: NaiveRuling] = [:]
    var server: NaiveServer?
    /// The records of `record` events. A source that ends in `;sequence=N` is stored without this ending, as
    /// version N; any other source is version 0.
    private var addedRecords: [(record: NaiveRecord, source: String, version: Int32)] = []
    var sources: Set<[Unicode.Scalar]> = []
    var amendments: [NaivePhaseName: Action.Amend] = [:]
    /// The `retime`s and `split`s, in replay order.
    var corrections: [Event] = []
    /// The presses and settings that had an effect.
    var effective: Set<EventID> = []
    /// The branches of the rules that the events have reached.
    var rules: Set<NaiveRule> = []

    struct NaivePhaseName: Hashable {
        var run: RunID
        var ordinal: Int64
    }

    /// The state before the first event.
    init(undo: NaiveUndo) { self.undo = undo }

    /// The state after a whole log in replay order.
    init(log: [Event]) {
        self.init(undo: NaiveUndo(sorted: log))
        for event in undo.notUndone { act(event) }
    }

    mutating func act(_ event: Event) {
        switch event.action {
        case .start(let start):
            self.start(start, event)
        case .pause(let id, _):
            actOnRun(id, event) { run, instant, _ in
                guard case .running(_, let endsAt) = run.clock else { return false }
                run.endInterval(at: instant)
                run.clock = .paused(remaining: endsAt - instant)
                return true
            }
        case .resume(let id, _):
            actOnRun(id, event) { run, instant, _ in
                switch run.clock {
                case .paused(let remaining):
                    run.clock = .running(since: instant, endsAt: instant + remaining)
                case .waiting(_, let length):
                    run.phaseStartedAt = instant
                    run.clock = .running(since: instant, endsAt: instant + length)
                case .running, .closed: return false
                }
                return true
            }
        case .stop(let id, _):
            actOnRun(id, event) { run, instant, _ in
                run.close(at: instant)
                return true
            }
        case .skip(let id, let ordinal, _):
            actOnRun(id, event) { run, instant, settings in
                guard run.ordinal == ordinal else { return false }
                run.endPhaseAndBeginNext(at: instant, outcome: "skipped", settings: settings)
                return true
            }
        case .complete(let id, let ordinal, _):
            actOnRun(id, event) { run, instant, settings in
                guard run.ordinal == ordinal, run.activity == "work", run.hasRun(by: instant) else {
                    return false
                }
                run.endPhaseAndBeginNext(at: instant, outcome: "completed", settings: settings)
                return true
            }
        case .rest(let id, let ordinal, _):
            actOnRun(id, event) { run, instant, settings in
                guard run.ordinal == ordinal, run.activity == "work" else { return false }
                run.goToBreak(at: instant, settings: settings)
                return true
            }
        case .adjust(let id, let ordinal, let seconds, _):
            guard (-86400...86400).contains(seconds) else { return }
            actOnRun(id, event) { run, instant, _ in
                guard run.ordinal == ordinal, seconds > 0 || !run.isInOvertime(at: instant) else {
                    return false
                }
                let left = run.left(at: instant)
                let changed = min(max(max(left, 0) + .seconds(seconds), 0), 86_400_000)
                switch run.clock {
                case .waiting(let begins, _): run.clock = .waiting(begins: begins, length: changed)
                case .running(let since, _): run.clock = .running(since: since, endsAt: instant + changed)
                case .paused: run.clock = .paused(remaining: changed)
                case .closed: return false
                }
                run.added += changed - max(left, 0)
                return true
            }
        case .label(let id, let text, _):
            actOnRun(id, event) { run, _, _ in
                run.label = naiveClean(text)
                return true
            }
        case .adopt(let id):
            adopt(id, event)
        case .set(let key, let value) where key == "server":
            server = value == 0 ? nil : NaiveServer(key: value, replica: event.id.replica)
        case .set(let key, let value):
            set(key, value, event)
        case .profile(let name, let lengths):
            profile(naiveClean(name), lengths.map(naiveValues), event)
        case .device(let name, _, _):
            devices[event.id.replica] = naiveClean(name)
        case .revoke(let key):
            rulings[key] = NaiveRuling(verdict: "revoked", replica: event.id.replica, stamp: event.stamp)
        case .readmit(let key):
            let wasRevoked = rulings.keys.contains(key)
            guard wasRevoked else { break }
            rulings[key] = NaiveRuling(verdict: "readmitted", replica: event.id.replica, stamp: event.stamp)
        case .record(let record):
            self.record(record, event)
        case .amend(let amend):
            amendments[NaivePhaseName(run: amend.run, ordinal: amend.ordinal)] = amend
        case .retime, .split:
            corrections.append(event)
        case .undo, .unknown:
            break
        }
    }

    /// The settings of a run: its kept settings if it has any, otherwise the present ones.
    func settings(of run: NaiveRun) -> NaiveSettings { run.keptSettings ?? settings }

    /// Advances the run `id` to the event's effective instant and lets `rule` act on it. `rule` returns
    /// whether it had an effect.
    private mutating func actOnRun(
        _ id: RunID, _ event: Event, rule: (inout NaiveRun, SharedInstant, NaiveSettings) -> Bool
    ) {
        guard var run = runs[id], run.closedAt == nil else {
            rules.insert(.pressOnNone)
            return
        }
        let instant = min(max(event.action.at ?? event.time, run.anchor), event.time)
        if let at = event.action.at, at < run.anchor { rules.insert(.pressAtAnchor) }
        run.advance(to: instant, settings: settings(of: run))
        if run.closedAt != nil {
            rules.insert(.pressOnClosed)
            keepClosing(of: run)
            return
        }
        if case .waiting = run.clock { rules.insert(.pressOnWaiting) }
        if run.isInOvertime(at: instant) { rules.insert(.pressInOvertime) }
        guard rule(&run, instant, settings(of: run)) else {
            rules.insert(.pressInVain)
            return
        }
        rules.insert(id == currentID ? .pressOnCurrent : .pressOnSide)
        keepAction(on: run, event, at: instant)
    }

    private mutating func keepAction(on acted: NaiveRun, _ event: Event, at instant: SharedInstant) {
        var run = acted
        run.anchor = instant
        run.touch(at: event.time)
        if event.id.replica != run.id.starter {
            if run.startedOffline { rules.insert(.pressByOther) }
            run.startedOffline = false
        }
        effective.insert(event.id)
        runs[run.id] = run
        if run.closedAt != nil, currentID == run.id { currentID = nil }
        latest = max(latest, instant)
    }

    /// Stores a run that closed by itself.
    private mutating func keepClosing(of run: NaiveRun) {
        guard let closedAt = run.closedAt else { return }
        runs[run.id] = run
        if currentID == run.id { currentID = nil }
        latest = max(latest, closedAt)
    }

    private mutating func start(_ start: Action.Start, _ event: Event) {
        guard (1...86_400).contains(start.length ?? 1), start.begins ?? 0 <= event.time + 86_400_000 else {
            rules.insert(.startOutOfRange)
            return
        }
        let instant = min(max(start.at ?? event.time, latest), event.time)
        if let at = start.at, at < latest { rules.insert(.startAtLatest) }
        effective.insert(event.id)
        var new = NaiveRun(start: start, event: event, at: instant, settings: settings)
        defer {
            runs[new.id] = new
            latest = max(latest, instant)
        }
        guard let currentID, var current = runs[currentID] else {
            rules.insert(.startWithoutCurrent)
            self.currentID = new.id
            return
        }
        current.advance(to: instant, settings: settings)
        if current.closedAt != nil {
            rules.insert(.startAfterClosing)
            keepClosing(of: current)
            self.currentID = new.id
            return
        }
        let known = undo.runNamed(by: start.after)
        if known != start.after { rules.insert(.startAfterTakenBack) }
        if known == current.id, !start.offline || current.startedOffline {
            rules.insert(.startClosesCurrent)
            current.close(at: instant)
            runs[current.id] = current
            self.currentID = new.id
            return
        }
        let newTakesOver =
            (current.startedOffline && !start.offline)
            || (current.startedOffline == start.offline && !current.isRunning)
        if newTakesOver {
            rules.insert(current.startedOffline == start.offline ? .startBeforePaused : .startBeforeOffline)
            current.anchor = instant
            current.keptSettings = settings
            runs[current.id] = current
            self.currentID = new.id
        } else {
            rules.insert(.startBeside)
            new.keptSettings = settings
        }
    }

    private mutating func adopt(_ id: RunID, _ event: Event) {
        guard var run = runs[id], run.closedAt == nil else { return }
        run.advance(to: event.time, settings: settings(of: run))
        if run.closedAt != nil {
            rules.insert(.adoptClosed)
            keepClosing(of: run)
            return
        }
        guard id != currentID else {
            rules.insert(.adoptCurrent)
            return
        }
        if let currentID, var current = runs[currentID] {
            current.advance(to: event.time, settings: settings)
            guard current.closedAt != nil else {
                rules.insert(.adoptBeside)
                return
            }
            rules.insert(.adoptAfterClosing)
            keepClosing(of: current)
        }
        rules.insert(.adoptSide)
        run.keptSettings = nil
        currentID = id
        keepAction(on: run, event, at: event.time)
    }

    private mutating func set(_ key: String, _ value: Int64, _ event: Event) {
        guard let range = NaiveSettings.ranges[key], range.contains(value) else {
            rules.insert(.setOutOfRange)
            return
        }
        guard settings[key] != value else {
            rules.insert(.setSame)
            return
        }
        if currentID == nil { rules.insert(.setWithoutCurrent) }
        if !NaiveSettings.goals.contains(key) { moveCurrent(to: event.time) }
        settings.values[key] = value
        effective.insert(event.id)
    }

    /// Advances the current run for an event that changes settings.
    private mutating func moveCurrent(to instant: SharedInstant) {
        guard let currentID, var current = runs[currentID] else { return }
        current.advance(to: instant, settings: settings)
        if current.closedAt != nil {
            rules.insert(.setCloses)
            keepClosing(of: current)
        } else {
            rules.insert(.setMoves)
            current.anchor = instant
            current.touch(at: instant)
            runs[currentID] = current
            latest = max(latest, instant)
        }
    }

    /// Uses a profile with these values and saves them under the name, or removes the name if there are none.
    private mutating func profile(_ name: String, _ values: [String: Int64]?, _ event: Event) {
        let length = name.unicodeScalars.count
        let isInRange = (values ?? [:]).allSatisfy {
            NaiveSettings.ranges[$0.key]?.contains($0.value) == true
        }
        guard length > 0, length <= 40, isInRange else {
            rules.insert(.profileInvalid)
            return
        }
        var saved = profiles
        let place = saved.firstIndex { $0.name.unicodeScalars.elementsEqual(name.unicodeScalars) }
        if let place { saved.remove(at: place) }
        if let values, name != "classic", name != "long", place != nil || saved.count < 32 {
            saved.append(NaiveProfile(name: name, values: values))
            saved.sort { $0.name.unicodeScalars.lexicographicallyPrecedes($1.name.unicodeScalars) }
        }
        var changed = settings
        for (key, value) in values ?? [:] { changed.values[key] = value }
        guard changed != settings || saved != profiles else {
            rules.insert(.profileSame)
            return
        }
        rules.insert(values == nil ? .profileRemoved : changed == settings ? .profileSaved : .profileUsed)
        if changed != settings { moveCurrent(to: event.time) }
        settings = changed
        profiles = saved
        effective.insert(event.id)
    }

    private mutating func record(_ record: Action.Record, _ event: Event) {
        // The kinds of sources: docs/timer-rules.md §4, "record".
        var source = naiveClean(record.source)
        if source.unicodeScalars.starts(with: "hand:".unicodeScalars) {
            source = "hand/" + String(String.UnicodeScalarView(source.unicodeScalars.dropFirst(5)))
        } else if source == "offline" {
            let (stamp, replica) = (event.stamp, event.id.replica)
            source += "/\(stamp.time.milliseconds).\(stamp.counter)@\(hexadecimal(replica.rawValue))"
        }
        guard 0 <= record.startedAt, record.startedAt < record.endedAt, record.endedAt <= event.time,
            record.endedAt - record.startedAt <= 86_400_000,
            ["work", "shortBreak", "longBreak"].contains(record.activity),
            ["completed", "skipped", "stopped"].contains(record.outcome),
            !source.isEmpty
        else {
            rules.insert(.recordInvalid)
            return
        }
        guard sources.insert(Array(source.unicodeScalars)).inserted else {
            rules.insert(.recordAgain)
            return
        }
        rules.insert(.recordAdded)
        let record = NaiveRecord(
            run: RunID(event.position), ordinal: 0, activity: record.activity, startedAt: record.startedAt,
            endedAt: record.endedAt,
            intervals: [NaiveInterval(from: record.startedAt, to: record.endedAt)],
            outcome: record.outcome, label: naiveClean(record.label))
        let match = source.wholeMatch(of: /(?s)(.*);sequence=([1-9][0-9]*)/)
        let version = match.flatMap { Int32($0.output.2) }
        let unversioned = version == nil ? source : String(match?.output.1 ?? "")
        addedRecords.append((record, unversioned, version ?? 0))
    }

    /// The latest version of each record that an event added.
    var latestAddedRecords: [NaiveRecord] {
        addedRecords.filter { added in
            !addedRecords.contains {
                $0.version > added.version
                    && $0.source.unicodeScalars.elementsEqual(added.source.unicodeScalars)
            }
        }.map(\.record)
    }
}

/// The values of a profile by the names of their settings.
func naiveValues(_ lengths: PhaseLengths) -> [String: Int64] {
    Dictionary(uniqueKeysWithValues: lengths.values.map { ($0.key.rawValue, $0.value) })
}

extension Action {
    /// The keys of the settings that the action sets. A profile sets four.
    var naiveKeys: Set<String> {
        switch self {
        case .set(let key, _): key == "server" ? [] : [key]
        case .profile(_, let lengths?): Set(naiveValues(lengths).keys)
        default: []
        }
    }

    /// The name in the news of a setting or a profile that was set again.
    var naiveSettingName: String {
        switch self {
        case .set(let key, _): key
        case .profile(let name, _): "profile '\(name)'"
        default: ""
        }
    }
}
