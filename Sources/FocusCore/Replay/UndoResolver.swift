/// The events that the undos of one log take back or put back in the end. Results are cached. So each undo in
/// a chain of undos is looked at only once, even if several of them are asked about.
struct UndoResolver {
    private var found: [EventID: Event?] = [:]

    /// Returns the event that an undo takes back or puts back in the end, or nil if the log doesn't have it.
    /// Returns any other event itself.
    mutating func change<Log: ReplayLog>(
        by event: Event, in log: borrowing Log
    ) throws(Log.Failure) -> Event? {
        var undos: [EventID] = []
        var change: Event? = event
        while let last = change, let undo = Undo(last) {
            if let known = found[last.id] {
                change = known
                break
            }
            undos.append(last.id)
            // An undo that comes before its target counts as taking nothing back. So this loop ends.
            let target = try log.event(undo.target)
            change = if let target, target.position < last.position { target } else { nil }
        }
        for undo in undos { found[undo] = .some(change) }
        return change
    }
}
