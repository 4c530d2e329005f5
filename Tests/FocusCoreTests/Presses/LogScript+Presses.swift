import FocusCore
import TestSupport

extension LogScript {
    /// Returns the state after replaying the log.
    func replayed() throws -> ReplayState { try EventLog(events).replayed().0 }

    /// Returns the actions that an interaction would write at `now`. The log doesn't change.
    func actions(
        _ interaction: Interaction, at now: SharedInstant, ago: Duration = 0, offline: Bool = false,
        key: Digest? = nil,
        seen: ScreenTimer? = nil, by replica: ReplicaID = .a
    ) throws -> [Action] {
        let log = try EventLog(events)
        let context = PressContext(
            now: now, ago: ago, offline: offline, deviceKey: key, seen: seen, mark: UInt64(events.count))
        return try interaction.actions(on: log.replayed().0, in: log, context).get()
    }

    /// Appends the events of an interaction at `now`, and returns the last of them.
    @discardableResult
    mutating func press(
        _ interaction: Interaction, _ now: SharedInstant, by replica: ReplicaID = .a, ago: Duration = 0
    ) throws -> Event? {
        var last: Event?
        for action in try actions(interaction, at: now, ago: ago, by: replica) {
            last = add(action, now, by: replica)
        }
        return last
    }

    /// Returns the timer that every device shows at `now`.
    func timer(at now: SharedInstant) throws -> TimerState { TimerState(try replayed(), at: now) }

    /// Appends the events that a returning device writes by itself at `now`, and returns their actions.
    ///
    /// - Parameters:
    ///   - writer: The replica under which the device writes.
    ///   - own: The replicas that the device has been.
    ///   - pending: The device's events that no other device has had.
    ///   - shown: The offline work that the device noted before it merged the others' events.
    ///   - returnUndos: The stamps of the undos that the device wrote on earlier returns.
    ///   - continued: The `start` with which the device continued a work phase on an earlier return.
    @discardableResult
    mutating func returns(
        at now: SharedInstant, by writer: ReplicaID = .a, own: Set<ReplicaID> = [.a], pending: [Event] = [],
        shown: OfflineWorkNote? = nil,
        returnUndos: Set<Stamp> = [], continued: Event? = nil
    ) throws -> [Action] {
        let before = try replayed()
        let displaced = try continued.flatMap { start in
            try OfflineWorkNote(displacedFrom: start, in: EventLog(events), before)
        }
        let overtaken = try ReconnectActions(
            overtaken: pending, of: replayed(), in: EventLog(events), own: own, returnUndos: returnUndos)
        for action in overtaken.actions { add(action, now, by: writer) }
        let beside = try ReconnectActions(sideRunsOf: replayed(), in: EventLog(events), own: own, at: now)
        for action in beside.actions { add(action, now, by: writer) }
        var actions = overtaken.actions + beside.actions
        if let shown {
            actions += try keepShown(
                shown, hasLostSetting: overtaken.hasLostSetting, at: now, by: writer, own: own)
        }
        if let displaced {
            actions += try addRecords(
                displaced, hasLostSetting: false, continuesPhase: false, at: now, by: writer, own: own)
        }
        return actions
    }

    /// Continues the phase in progress, and appends records of the shown work (rules 5 and 6).
    private mutating func keepShown(
        _ shown: OfflineWorkNote, hasLostSetting: Bool, at now: SharedInstant, by writer: ReplicaID,
        own: Set<ReplicaID>
    ) throws -> [Action] {
        var actions: [Action] = []
        let goingOn = try PhaseContinuation(
            with: shown, after: replayed(), in: EventLog(events), own: own, at: now)
        if let goingOn {
            let run = add(goingOn.start, now, by: writer).run
            let rest = goingOn.actions(on: run, try replayed().settings)
            for action in rest { add(action, now, by: writer) }
            let correction = goingOn.correction(in: try replayed(), at: now)
            if let correction { add(correction, now, by: writer) }
            actions += [goingOn.start] + rest + (correction.map { [$0] } ?? [])
        }
        return try actions
            + addRecords(
                shown, hasLostSetting: hasLostSetting, continuesPhase: goingOn != nil, at: now, by: writer,
                own: own)
    }

    /// Appends records of the noted work that the history lacks, and returns their actions.
    private mutating func addRecords(
        _ note: OfflineWorkNote, hasLostSetting: Bool, continuesPhase: Bool, at now: SharedInstant,
        by writer: ReplicaID, own: Set<ReplicaID>
    ) throws -> [Action] {
        let (state, journal) = try EventLog(events).replayed()
        let kept = try OfflineWorkRecords(
            note, besides: journal, state, in: EventLog(events), own: own,
            hasLostSetting: hasLostSetting, continuesPhase: continuesPhase, at: now)
        for action in kept.actions { add(action, now, by: writer) }
        return kept.actions
    }

    /// Returns the work shown at `now` of the pending events, on the device that is replica a.
    func shown(_ pending: [Event], at now: SharedInstant, own: Set<ReplicaID> = [.a]) throws
        -> OfflineWorkNote?
    {
        let (state, journal) = try EventLog(events).replayed()
        return try OfflineWorkNote(
            of: pending, in: EventLog(events), journal, state, own: own, at: now)
    }
}
