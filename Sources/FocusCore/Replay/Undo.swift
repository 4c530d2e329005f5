/// An `undo` of a log: which event it is, and which it names.
package struct Undo: Hashable, Sendable {
    /// The undo's own name: what a redo names.
    package let id: EventID
    /// The undo's own place in replay order: it takes back only what comes before.
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

    /// The events that are taken back (docs/timer-rules.md §4): going from the log's end to its start, an undo
    /// that isn't itself taken back takes back the event it names, where that can be.
    ///
    /// `undos` are all that may matter, in replay order; `position` gives the position of an event that the log
    /// has and that can be taken back (`Action.canBeTakenBack`), else nil. Cost: linear in `undos`.
    package static func takenBack<Failure: Error>(
        by undos: [Undo], position: (EventID) throws(Failure) -> Position?
    ) throws(Failure) -> Set<EventID> {
        var takenBack: Set<EventID> = []
        for undo in undos.reversed() where !takenBack.contains(undo.id) {
            guard let target = try position(undo.target), target < undo.position else { continue }
            takenBack.insert(undo.target)
        }
        return takenBack
    }
}
