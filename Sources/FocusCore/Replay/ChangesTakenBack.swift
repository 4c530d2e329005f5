/// What undos of one log take back or put back in the end. It remembers what it has found: of a chain of undos, of which each
/// takes back the one before, it looks at each once, whichever are asked about.
struct ChangesTakenBack {
    private var found: [EventID: Event?] = [:]

    /// What an undo takes back or puts back in the end, where it is of an undo; nil where the log hasn't got that. Any other
    /// event itself.
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
            // One that comes first takes nothing back. So this comes to an end, too.
            let target = try log.event(undo.target)
            change = if let target, target.position < last.position { target } else { nil }
        }
        for undo in undos { found[undo] = .some(change) }
        return change
    }
}
