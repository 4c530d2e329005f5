/// Follows undos of undos in one log, to the event that they take back or put back in the end. It keeps the
/// results. So each undo of a chain is looked up only once, even if the caller asks about several of them.
struct UndoResolver {
    /// The results by undo. A result is nil if the log doesn't have the event.
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
