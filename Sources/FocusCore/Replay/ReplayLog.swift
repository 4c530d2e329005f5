/// Gives a log's events one after the other, in replay order.
package protocol EventCursor<Failure> {
    associatedtype Failure: Error
    /// The next event, nil at the end.
    mutating func next() throws(Failure) -> Event?
}

/// A log as replay reads it, wherever it is kept.
package protocol ReplayLog: StartLookup {
    associatedtype Events: EventCursor where Events.Failure == Failure
    /// The events after `position`, in replay order; all of them where it is nil.
    func events(after position: Position?) throws(Failure) -> Events
    /// The undos after `position`, in replay order; all of them where it is nil.
    func undos(after position: Position?) throws(Failure) -> [Undo]
    /// The undos that name this event.
    func undos(of id: EventID) throws(Failure) -> [Undo]
    /// The undos that may take back what stands after them, in replay order: those at least that do.
    func forwardUndos() throws(Failure) -> [Undo]
    func event(_ id: EventID) throws(Failure) -> Event?
    func event(at position: Position) throws(Failure) -> Event?
    /// The first of the starts whose `after` names a run that begins later than themselves. Only a device
    /// writes such a start that writes anew what it had stamped far ahead, but any log may hold one.
    func earliestForwardStart() throws(Failure) -> Position?
    /// What the log comes to up to some event before `position`, the nearer the better: replay goes on from there.
    func checkpoint(before position: Position) throws(Failure) -> ReplayState
}

extension ReplayLog {
    /// Brings `state`, which is what the log's events up to `state.position` come to, to the log's end, or up to the last
    /// event before `end`.
    ///
    /// `step` is called after each event, so that the caller can keep checkpoints, and says whether to go on. Cost: linear
    /// in the events after `state.position`.
    package func replay<Sink: HistorySink>(
        _ state: inout ReplayState, before end: Position? = nil, history: inout Sink,
        step: (borrowing ReplayState, borrowing Sink) throws(Failure) -> Bool
    ) throws(Failure) {
        let takenBack = try positionsTakenBack(after: state.position)
        var next = 0
        var events = try events(after: state.position)
        while let event = try events.next() {
            if let end, event.position >= end { return }
            let isTakenBack = next < takenBack.count && takenBack[next] == event.position
            if isTakenBack { next += 1 }
            try state.apply(event, isTakenBack: isTakenBack, in: self, history: &history)
            guard try step(state, history) else { return }
        }
    }

    /// As `replay(_:before:history:step:)`, without a step.
    package func replay<Sink: HistorySink>(
        _ state: inout ReplayState, before end: Position? = nil, history: inout Sink
    ) throws(Failure) {
        try replay(&state, before: end, history: &history) { (_, _) throws(Failure) in true }
    }

    /// The whole log's state, and what it found for the history.
    package func replayed() throws(Failure) -> (ReplayState, Journal) {
        var state = ReplayState()
        var journal = Journal()
        try replay(&state, history: &journal)
        return (state, journal)
    }

    /// The first position at which a log that these events have just been merged into may replay otherwise than without
    /// them; nil where there are none. It is an event's own, but for an undo, which reaches back to the event it names, and
    /// on from there where that is an undo too.
    ///
    /// A checkpoint before that position still holds. Cost: an event is looked at once, however many undos lead to it.
    package func firstAffected(by events: some Collection<Event>) throws(Failure) -> Position? {
        guard !events.isEmpty else { return nil }
        let forward = try earliestForwardStart()
        var first: Position?
        var seen: Set<EventID> = []
        for event in events {
            guard let end = try end(of: event, &seen) else { continue }
            var affected = min(event.position, end.position)
            if case .start = end.action, let forward, forward < affected {
                var isUndone = end.id != event.id
                if !isUndone { isUndone = try !undos(of: event.id).isEmpty }
                if isUndone { affected = forward }
            }
            first = min(first ?? affected, affected)
        }
        return first
    }

    /// What an undo takes back in the end, or another event itself; nil where one leads there that was looked at before, which
    /// is seen.
    private func end(of event: Event, _ seen: inout Set<EventID>) throws(Failure) -> Event? {
        var end = event
        while let undo = Undo(end), let target = try self.event(undo.target), undo.reaches(target) {
            guard seen.insert(target.id).inserted else { return nil }
            end = target
        }
        return end
    }

    /// The positions after `position`, or all, of the events that are taken back, in order.
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

    /// The undos up to `position` that take back what stands after it, in order.
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

    /// Whether an undo in force names this event, which may stand anywhere in the log.
    ///
    /// Cost: a look-up for each undo that bears on it.
    package func isTakenBack(_ event: Event) throws(Failure) -> Bool {
        guard event.action.canBeTakenBack else { return false }
        // All undos that bear on the event: those that name it, those that name these, and so on.
        var bearing: Set<Undo> = []
        var pending = [event.id]
        while let id = pending.popLast() {
            for undo in try undos(of: id) where bearing.insert(undo).inserted { pending.append(undo.id) }
        }
        guard !bearing.isEmpty else { return false }
        var targets = [event.id: Undo.Target(event)]
        for undo in bearing { targets[undo.id] = Undo.Target(undo) }
        let inOrder = bearing.sorted { $0.position < $1.position }
        return Undo.takenBack(by: inOrder) { targets[$0] }.contains(event.id)
    }

    /// What the `start` of this run says, where the log has that event and it is taken back; else nil.
    ///
    /// Cost: a look-up, and one for each undo that bears on it.
    package func takenBackStart(_ run: RunID) throws(Failure) -> Action.Start? {
        guard let event = try event(at: run.position), case .start(let start) = event.action,
            try isTakenBack(event)
        else { return nil }
        return start
    }
}

/// An `undo` of a log: which event it is, and which it names.
package struct Undo: Hashable, Sendable {
    /// The undo's own name: what a redo names.
    package let id: EventID
    /// The undo's own place in replay order.
    package let position: Position
    /// The event that it names, which the log may not have.
    package let target: EventID

    /// An undo as a log has it.
    package init(id: EventID, position: Position, target: EventID) {
        self.id = id
        self.position = position
        self.target = target
    }

    /// The undo that this event is, or nil.
    package init?(_ event: Event) {
        guard case .undo(let target) = event.action else { return nil }
        self.init(id: event.id, position: event.position, target: target)
    }

    /// Whether it can take an event back: one that comes before, or what was early as the undo was written and is no undo.
    package func reaches(_ target: Target) -> Bool {
        target.position < position
            || !target.isUndo && target.position.stamp > .latest(countingAt: position.stamp.time)
    }

    /// As `reaches(_: Target)`, of an event of the log.
    package func reaches(_ event: Event) -> Bool { reaches(Target(event)) }

    /// What matters of an event to an undo that names it.
    package struct Target: Hashable, Sendable {
        /// Its place in replay order.
        package let position: Position
        /// Whether it is an undo.
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

    /// The events that are taken back (docs/timer-rules.md §4): going from the log's end to its start, an undo
    /// that isn't itself taken back takes back the event it names, where that can be.
    ///
    /// `undos` are all that may matter, in replay order; `target` gives an event that the log has and that can be taken
    /// back (`Action.canBeTakenBack`), else nil. Cost: linear in `undos`.
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
