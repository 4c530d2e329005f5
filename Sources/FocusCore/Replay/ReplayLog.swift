/// A cursor over a log's events, in replay order.
package protocol EventCursor<Failure> {
    associatedtype Failure: Error
    /// Returns the next event, or nil at the end.
    mutating func next() throws(Failure) -> Event?
}

/// A log as replay reads it, in memory or in a store.
package protocol ReplayLog: StartLookup {
    associatedtype Events: EventCursor where Events.Failure == Failure
    /// Returns the events after `position`, or all events if it is nil, in replay order.
    func events(after position: Position?) throws(Failure) -> Events
    /// Returns the undos after `position`, or all undos if it is nil, in replay order.
    func undos(after position: Position?) throws(Failure) -> [Undo]
    /// Returns the undos that name this event.
    func undos(of id: EventID) throws(Failure) -> [Undo]
    /// Returns at least all undos that take back an event after them, in replay order. Other undos may be
    /// among them.
    func forwardUndos() throws(Failure) -> [Undo]
    /// Returns the event with this name, or nil if the log doesn't have it.
    func event(_ id: EventID) throws(Failure) -> Event?
    /// Returns the event at this position, or nil if there is none.
    func event(at position: Position) throws(Failure) -> Event?
    /// Returns the position of the first start with an `after` that names a run beginning later than the
    /// start itself. Only a device that writes events again, because they were far ahead, writes such a
    /// start. But any log may hold one.
    func earliestForwardStart() throws(Failure) -> Position?
    /// Returns the state after replaying the log up to some event before `position`, the nearer the better.
    /// Replay continues from there.
    func checkpoint(before position: Position) throws(Failure) -> ReplayState
}

extension ReplayLog {
    /// Replays the events after `state.position`, up to the log's end or to the last event before `end`.
    /// Before the call, `state` has to be the state after replaying the log's events up to `state.position`.
    /// Cost: linear in the replayed events.
    ///
    /// - Parameter step: Called after each event, so that the caller can keep checkpoints. Returns whether to
    ///   continue.
    package func replay<Sink: HistorySink>(
        _ state: inout ReplayState, before end: Position? = nil, history: inout Sink,
        step: (borrowing ReplayState, borrowing Sink) throws(Failure) -> Bool
    ) throws(Failure) {
        let takenBack = try positionsTakenBack(after: state.position)
        var nextTakenBack = 0
        var events = try events(after: state.position)
        while let event = try events.next() {
            if let end, event.position >= end { return }
            let isTakenBack =
                nextTakenBack < takenBack.count && takenBack[nextTakenBack] == event.position
            if isTakenBack { nextTakenBack += 1 }
            try state.apply(event, isTakenBack: isTakenBack, in: self, history: &history)
            guard try step(state, history) else { return }
        }
    }

    /// Replays as `replay(_:before:history:step:)` does, without a step.
    package func replay<Sink: HistorySink>(
        _ state: inout ReplayState, before end: Position? = nil, history: inout Sink
    ) throws(Failure) {
        try replay(&state, before: end, history: &history) { (_, _) throws(Failure) in true }
    }

    /// Returns the state of the whole log, and the entries that it found for the history.
    package func replayed() throws(Failure) -> (ReplayState, Journal) {
        var state = ReplayState()
        var journal = Journal()
        try replay(&state, history: &journal)
        return (state, journal)
    }

    /// Returns the first position at which replay may differ because these events were just merged, or nil if
    /// there are none. For an undo, it may be the position of the event at the end of its chain of undos.
    /// A checkpoint before the returned position stays valid. Cost: a lookup for each of the events, and for
    /// each event that they undo.
    package func firstAffected(by events: some Collection<Event>) throws(Failure) -> Position? {
        guard !events.isEmpty else { return nil }
        let forward = try earliestForwardStart()
        var first: Position?
        var seen: Set<EventID> = []
        for event in events {
            var affected = event.position
            let target = try finalTarget(of: event, &seen)
            if let target { affected = min(affected, target.position) }
            if let target, case .start = target.action, let forward, forward < affected {
                var isUndone = target.id != event.id
                if !isUndone { isUndone = try !undos(of: event.id).isEmpty }
                if isUndone { affected = forward }
            }
            first = min(first ?? affected, affected)
        }
        return first
    }

    /// Returns the event at the end of a chain of undos that begins with `event`. It is `event` itself if
    /// that is no undo. Returns nil if the chain leads to an event that was visited before (`seen`).
    private func finalTarget(of event: Event, _ seen: inout Set<EventID>) throws(Failure) -> Event? {
        var last = event
        while let undo = Undo(last), let target = try self.event(undo.target), undo.reaches(target) {
            guard seen.insert(target.id).inserted else { return nil }
            last = target
        }
        return last
    }

    /// Returns the positions of the events that are taken back, in order. Only positions after `position` are
    /// included, or all if it is nil.
    private func positionsTakenBack(after position: Position?) throws(Failure) -> [Position] {
        var undos = try undos(after: position)
        if let position { undos = try forwardUndos(inForceThrough: position) + undos }
        guard !undos.isEmpty else { return [] }
        var positions: [EventID: Position] = [:]
        let takenBack = try Undo.takenBack(by: undos) { (id: EventID) throws(Failure) -> Undo.Target? in
            guard let event = try event(id), event.action.canBeTakenBack else { return nil }
            positions[id] = event.position
            return Undo.Target(event)
        }
        return takenBack.compactMap { positions[$0] }.filter { $0.isAfter(position) }.sorted()
    }

    /// Returns the undos up to `position` that take back an event after it, in order.
    private func forwardUndos(inForceThrough position: Position) throws(Failure) -> [Undo] {
        var inForce: [Undo] = []
        for undo in try forwardUndos() where undo.position <= position {
            guard let target = try event(undo.target), target.position > position, undo.reaches(target),
                let event = try event(undo.id), try !isTakenBack(event)
            else { continue }
            inForce.append(undo)
        }
        return inForce
    }

    /// Whether the event is taken back: an undo that isn't taken back itself names it.
    ///
    /// Cost: a lookup for each undo that may affect the event.
    package func isTakenBack(_ event: Event) throws(Failure) -> Bool {
        guard event.action.canBeTakenBack else { return false }
        // All undos that may affect the event: the undos that name it, the undos that name those undos, and
        // so on.
        var relevant: Set<Undo> = []
        var pending = [event.id]
        while let id = pending.popLast() {
            for undo in try undos(of: id) where relevant.insert(undo).inserted { pending.append(undo.id) }
        }
        guard !relevant.isEmpty else { return false }
        var targets = [event.id: Undo.Target(event)]
        for undo in relevant { targets[undo.id] = Undo.Target(undo) }
        let inOrder = relevant.sorted { $0.position < $1.position }
        return Undo.takenBack(by: inOrder) { targets[$0] }.contains(event.id)
    }

    /// Returns the content of the `start` of this run if the log has that event and it is taken back,
    /// otherwise nil.
    ///
    /// Cost: a lookup, and one for each undo that may affect the event.
    package func takenBackStart(_ run: RunID) throws(Failure) -> Action.Start? {
        guard let event = try event(at: run.position), case .start(let start) = event.action,
            try isTakenBack(event)
        else { return nil }
        return start
    }
}

/// An `undo` of a log: its name, its position and its target.
package struct Undo: Hashable, Sendable {
    /// The undo's own name, which a redo names.
    package let id: EventID
    /// The undo's own position in replay order.
    package let position: Position
    /// The event that it names. The log may not have it.
    package let target: EventID

    /// Creates an undo as a log has it.
    package init(id: EventID, position: Position, target: EventID) {
        self.id = id
        self.position = position
        self.target = target
    }

    /// Creates the undo from an event, or nil if the event isn't an undo.
    package init?(_ event: Event) {
        guard case .undo(let target) = event.action else { return nil }
        self.init(id: event.id, position: event.position, target: target)
    }

    /// Whether the undo can take an event back. The event has to come before the undo in replay order. Only
    /// an event that isn't an undo may come later, if it was early when the undo was written.
    package func reaches(_ target: Target) -> Bool {
        target.position < position
            || !target.isUndo && target.position.stamp > .latest(countingAt: position.stamp.time)
    }

    /// Whether the undo can take an event of the log back, as `reaches(_: Target)`.
    package func reaches(_ event: Event) -> Bool { reaches(Target(event)) }

    /// The properties of an event that matter to an undo of it.
    package struct Target: Hashable, Sendable {
        /// The event's position in replay order.
        package let position: Position
        /// Whether the event is an undo.
        package let isUndo: Bool

        init(_ event: Event) {
            position = event.position
            isUndo = Undo(event) != nil
        }

        init(_ undo: Undo) {
            position = undo.position
            isUndo = true
        }
    }

    /// Returns the events that are taken back (docs/timer-rules.md §4). From the log's end to its start, each
    /// undo that isn't taken back itself takes back the event that it names, if it can. Cost: linear in
    /// `undos`.
    ///
    /// - Parameters:
    ///   - undos: All undos that may matter, in replay order.
    ///   - target: Returns the event if the log has it and it can be taken back (`Action.canBeTakenBack`),
    ///     otherwise nil.
    package static func takenBack<Failure: Error>(
        by undos: [Undo], target: (EventID) throws(Failure) -> Target?
    ) throws(Failure) -> Set<EventID> {
        var takenBack: Set<EventID> = []
        for undo in undos.reversed() where !takenBack.contains(undo.id) {
            guard let target = try target(undo.target), undo.reaches(target) else { continue }
            takenBack.insert(undo.target)
        }
        return takenBack
    }
}
