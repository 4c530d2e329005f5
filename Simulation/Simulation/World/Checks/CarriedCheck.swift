import FocusCore
import FocusDevice
import FocusStore
import FocusText
import SQLiteKit
import TestSupport

/// A part of a phase that a laptop takes along into a group, by its length and not by its times.
private struct Stretch: Hashable, CustomStringConvertible {
    let activity: String
    let length: Duration
    let outcome: String
    let label: String

    var description: String { "\(activity) of \(length.inMilliseconds) ms, \(outcome), \"\(label)\"" }
}

extension Laptop {
    /// Checks that a laptop that has just joined a group has written there what it recorded before.
    /// `NaiveTimer` computes the expected records from the copy of the old log. A laptop that was told to
    /// leave it behind writes nothing.
    func checkCarried() throws {
        guard let device else { return }
        let copied = copies.filter { !knownCopies.contains($0) }.compactMap(eventsOfCopy)
        // Copies from failed attempts have fewer events.
        guard let events = copied.max(by: { $0.count < $1.count }) else { return }
        let end = max(try device.now(), events.map(\.time).max() ?? .zero)
        guard let solo = NaiveTimer.state(of: events, at: end) else {
            return world.require(false, "a laptop's events form a log") { "\(name)'s copy" }
        }
        let own = try device.ownReplicas()
        let log = try device.store.allStoredEvents().compactMap(\.event)
        let written = log.filter { own.contains($0.id.replica) }
        let continued = continued(solo.history, in: written)
        // Records that an earlier attempt to join wrote, before the disk was replaced by an old copy.
        let brought = hasLostPresses ? Laptop.sources(in: log).subtracting(Laptop.sources(in: written)) : []
        var expected: [Stretch: Int] = [:]
        for record in continued == nil ? solo.history : solo.history.dropLast() {
            var lengths = record.intervals.flatMap { Laptop.daysAtMost($0.to - $0.from) }
            let last = lengths.popLast()
            let parts =
                lengths.map { ($0, "stopped") } + (last.map { [($0, record.outcome)] } ?? [])
            for (index, (length, outcome)) in parts.enumerated() {
                // A running phase that an earlier attempt has brought isn't brought again.
                let part = PhasePart(RecordName(run: record.run, ordinal: record.ordinal), index)
                if record == solo.history.last, brought.contains(part.source) { continue }
                let stretch = Stretch(
                    activity: record.activity, length: length, outcome: outcome, label: record.label)
                expected[stretch, default: 0] += 1
            }
        }
        var carried: [Stretch: Int] = [:]
        for event in written {
            guard case .record(let record) = event.action else { continue }
            // A phase that continues in the group still gets records for its work before the end of the
            // group's last session.
            if continued != nil, record.keepsWork { continue }
            let stretch = Stretch(
                activity: record.activity, length: record.endedAt - record.startedAt, outcome: record.outcome,
                label: record.label)
            carried[stretch, default: 0] += 1
        }
        // A running phase is noted as offline work. Once it is known whether the group has a session, the
        // phase continues or becomes records.
        let noted = try device.store.value(.offlineWorkNote).map { try OfflineWorkNote(encoded: $0) }
        for phase in noted?.phases ?? [] {
            for length in phase.spans.intervals.flatMap({ Laptop.daysAtMost($0.to - $0.from) }) {
                let stretch = Stretch(
                    activity: phase.activity.rawValue, length: length, outcome: phase.outcome.rawValue,
                    label: phase.label)
                carried[stretch, default: 0] += 1
            }
        }
        // Several attempts to join may be under way. Any of them may have succeeded.
        let choices = Set(joins.values)
        if carried.isEmpty, choices.contains(.leaveBehind) {
            trace("leaves \(expected.values.reduce(0, +)) stretches of its history behind")
            world.counts.leftBehind += expected.values.reduce(0, +)
            return
        }
        trace("takes \(carried.values.reduce(0, +)) stretches of its history along")
        world.counts.carried += carried.values.reduce(0, +)
        world.require(carried.isEmpty || choices.contains(.takeAlong), "what is to stay behind stays there") {
            "\(name) took \(carried) along"
        }
        world.require(carried == expected, "what was recorded alone comes along") {
            "\(name) took \(carried) along, not \(expected)"
        }
        if let (phase, start) = continued { checkContinued(phase, after: start, in: log) }
    }

    /// Returns the phase that ran last and the start event that continues it in the group, or nil if it
    /// doesn't continue. The start event is backdated, perhaps by another laptop's clock.
    private func continued(_ solo: [NaiveRecord], in written: [Event]) -> (NaiveRecord, Event)? {
        guard let phase = solo.last else { return nil }
        let start = written.first { event in
            guard case .start(let start) = event.action else { return false }
            return start.at != nil && start.label ?? "" == phase.label
        }
        return start.map { (phase, $0) }
    }

    /// Checks that the history of the group that continues the phase, with what is in progress there, covers
    /// the phase's work intervals.
    private func checkContinued(_ phase: NaiveRecord, after start: Event, in log: [Event]) {
        let later = log.filter { $0.position > start.position }
        // A later press may have changed the history.
        guard phase.activity == "work", case .start(let first) = start.action, let at = first.at,
            phase.intervals.contains(where: { ($0.from...$0.to).contains(at) }),
            later.allSatisfy({ $0.time == start.time }),
            let last = log.max(by: { $0.position < $1.position }),
            let stamp = Stamp(time: last.stamp.time + .milliseconds(1), counter: 0),
            let present = NaiveTimer.state(of: log, at: stamp.time)
        else { return }
        // Another laptop may have joined at the same moment and continued its own phase just before. Then its
        // run is the current one, and its work in progress counts too (docs/timer-rules.md §5, 6).
        let runs = Set([RunID(start.position), present.run].compactMap { $0 }).sorted()
        let stops = runs.enumerated().map { number, run in
            Event(
                replica: ReplicaID(rawValue: .max - UInt64(number)), seq: 1, stamp: stamp,
                action: .stop(run, at: nil))
        }
        guard let state = NaiveTimer.state(of: log + stops, at: stamp.time) else { return }
        let covered = state.history.filter { $0.activity == "work" }.flatMap(\.intervals)
        for interval in phase.intervals {
            var from = interval.from
            for known in covered.sorted(by: { $0.from < $1.from })
            where known.from <= from + PhaseRecord.shortestActive {
                from = max(from, known.to)
            }
            // If the clock was ahead, the interval reaches into the group's future, which has no work yet.
            world.require(
                from >= min(interval.to, start.time) - PhaseRecord.shortestActive,
                "what was worked alone is in what it goes on in"
            ) { "\(name) lacks what it worked of \(interval) from \(InstantText.text(from)) on" }
        }
    }

    /// The sources of the records among these events.
    private static func sources(in events: [Event]) -> Set<String> { Set(events.compactMap(\.recordID)) }

    /// Splits a length into parts of at most a day, the most that a record may have.
    private static func daysAtMost(_ length: Duration) -> [Duration] {
        let day: Int64 = 86_400_000
        let (days, rest) = length.inMilliseconds.quotientAndRemainder(dividingBy: day)
        return Array(repeating: .milliseconds(day), count: Int(days))
            + (rest > 0 ? [.milliseconds(rest)] : [])
    }

    /// Whether the laptop's log has a record with this source.
    fileprivate func hasRecorded(_ source: String) throws -> Bool {
        try device?.store.allStoredEvents().contains { $0.event?.recordID == source } ?? false
    }

    private func eventsOfCopy(_ path: String) -> [Event]? {
        let store = try? DeviceStore(path: path, on: .virtual(disk), access: .reading) {
            ReplicaID(rawValue: 0)
        }
        return try? store?.allStoredEvents().compactMap(\.event)
    }
}

extension Event {
    /// An identifier of the record that is the same in every log; nil if the event isn't a record. It is the
    /// source. For kept work, which always has the same source, label and stamp are added.
    fileprivate var recordID: String? {
        guard case .record(let record) = action else { return nil }
        return record.keepsWork ? "\(record.source)/\(record.label)/\(stamp.rawValue)" : record.source
    }
}

/// A part of a phase that a laptop took along, with its times.
private struct Carried: Hashable {
    let laptop: Int
    let activity: String
    let startedAt: SharedInstant
    let endedAt: SharedInstant
    let label: String

    init(_ laptop: Int, _ record: Action.Record) {
        self.laptop = laptop
        activity = record.activity
        startedAt = record.startedAt
        endedAt = record.endedAt
        label = record.label
    }
}

extension World {
    /// Checks that the group's history has exactly once each record that laptops took along, kept on
    /// returning, or added by hand. A record may have moved several times.
    func checkCarried(of group: Int, _ members: [Laptop]) throws {
        guard let store = members.first?.device?.store else { return }
        var sources: Set<String> = []
        /// The records of members that weren't revoked. A revoked laptop's records may be lost before they
        /// are sent.
        var brought: Set<String> = []
        var stretches: [Carried: String] = [:]
        // Records that no remaining member can read aren't shown. Only an attacker can cause this
        // (`hasUnreadable`).
        var unreadable: Set<EventID> = []
        try store.forEachUnreadableEvent { unreadable.insert($0.id) }
        for entry in ledger.entries where entry.group == group {
            guard case .record(let record) = entry.event.action, let id = entry.event.recordID else {
                continue
            }
            if unreadable.contains(entry.event.id) { continue }
            // A laptop that writes kept work again gives it another stamp.
            if record.keepsWork, laptops.contains(where: { $0.group == group && $0.hasReauthored }) {
                continue
            }
            sources.insert(id)
            // A laptop that came back with another key may have left behind the events that it didn't send
            // before.
            if !isRevoked(entry.key) { brought.insert(id) }
            let known = stretches.updateValue(record.source, forKey: Carried(entry.laptop, record))
            // A record that was split off has a run of its own, in which its ordinal is 0. A laptop restored
            // from an old copy splits and moves it again, under another name.
            let mayBeRenamed =
                laptops.contains { $0.index == entry.laptop && $0.hasLostPresses }
                && record.source.split(separator: "/").dropFirst().first == "0"
            let keepsName = known ?? record.source == record.source
            require(keepsName || mayBeRenamed, "what is taken along again keeps its name") {
                "\(known ?? "") is \(record.source) now"
            }
        }
        guard !sources.isEmpty else { return }
        var names: [String: [RunID: EventID]] = [:]
        // Records that somebody removed from the history, or undid, may be missing.
        var removed: Set<RunID> = []
        var takenBack: Set<EventID> = []
        // Early events enter the history when their time comes.
        var early: Set<EventID> = []
        for stored in try store.allStoredEvents() {
            guard let event = stored.event else { continue }
            if stored.counted == nil { early.insert(event.id) }
            switch event.action {
            case .record:
                names[event.recordID ?? "", default: [:]][RunID(event.position)] = event.id
            case .amend(let amend) where amend.removed == true: removed.insert(amend.run)
            case .undo(let target): takenBack.insert(target)
            default: break
            }
        }
        let (state, journal) = try store.history()
        let history = NaiveState(state, journal, at: sharedNow).history
        for source in sources.sorted() where !isTakenBackByTraitor(names[source] ?? [:]) {
            let records = names[source] ?? [:]
            let count = history.count { records[$0.run] != nil }
            // A record may be missing from the group's log because a laptop's disk was replaced by an old
            // copy, or because only laptops hold it that are revoked or have a wrong key. `checkPresses`
            // checks that it exists somewhere.
            let mayBeOnlyElsewhere =
                try records.isEmpty
                && laptops.contains {
                    try $0.group == group
                        && ($0.hasLostPresses || ($0.wasRevoked || $0.hasWrongKey) && $0.hasRecorded(source))
                }
            let mayBeGone =
                !brought.contains(source) || mayBeOnlyElsewhere
                || records.contains {
                    removed.contains($0.key) || takenBack.contains($0.value) || early.contains($0.value)
                }
            require(
                count == 1 || count == 0 && mayBeGone,
                "what was recorded alone is in the group's history once"
            ) {
                "\(source) is there \(count) times"
            }
        }
    }
}
