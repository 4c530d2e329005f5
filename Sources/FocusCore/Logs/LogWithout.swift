/// A log as if some of its events had never been written. Devices that haven't received those events have
/// this log.
struct LogWithout<Log: ReplayLog>: ReplayLog {
    private let log: Log
    private let hidden: Set<EventID>

    init(_ hidden: Set<EventID>, of log: Log) {
        self.log = log
        self.hidden = hidden
    }

    /// The events that aren't hidden.
    struct Events: EventCursor {
        fileprivate var events: Log.Events
        fileprivate let hidden: Set<EventID>

        mutating func next() throws(Log.Failure) -> Event? {
            while let event = try events.next() {
                if !hidden.contains(event.id) { return event }
            }
            return nil
        }
    }

    func events(after position: Position?) throws(Log.Failure) -> Events {
        Events(events: try log.events(after: position), hidden: hidden)
    }

    func undos(after position: Position?) throws(Log.Failure) -> [Undo] {
        try log.undos(after: position).filter { !hidden.contains($0.id) }
    }

    func undos(of id: EventID) throws(Log.Failure) -> [Undo] {
        try log.undos(of: id).filter { !hidden.contains($0.id) }
    }

    func forwardUndos() throws(Log.Failure) -> [Undo] {
        try log.forwardUndos().filter { !hidden.contains($0.id) }
    }

    func event(_ id: EventID) throws(Log.Failure) -> Event? {
        hidden.contains(id) ? nil : try log.event(id)
    }

    func event(at position: Position) throws(Log.Failure) -> Event? {
        guard let event = try log.event(at: position), !hidden.contains(event.id) else { return nil }
        return event
    }

    /// May be the position of a hidden start. Then `firstAffected` is only earlier than necessary.
    func earliestForwardStart() throws(Log.Failure) -> Position? { try log.earliestForwardStart() }

    /// Returns the log's own checkpoint, which counts hidden events before `position` too. So `position` must
    /// not be after the `firstAffected` position of the hidden events.
    func checkpoint(before position: Position) throws(Log.Failure) -> ReplayState {
        try log.checkpoint(before: position)
    }
}
