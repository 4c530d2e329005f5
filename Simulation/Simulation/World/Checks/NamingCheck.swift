import FocusCore

extension World {
    /// Checks how events on a branch name a run that moved to the branch with them: by its new id.
    ///
    /// Corrections aren't checked: their author may have seen the record under its former name. Nor is an
    /// event that names a later run, which only an attacker writes.
    ///
    /// - Parameter log: All events that the group's laptops can read.
    func checkNaming(in log: [Event]) {
        let positions = Set(log.map(\.position))
        for event in log {
            switch event.action {
            case .amend, .retime, .split: continue
            default: break
            }
            var named: [RunID] = []
            _ = event.action.mapping(
                run: {
                    named.append($0)
                    return $0
                }, event: { $0 })
            for run in named where run.position.stamp < event.stamp && !positions.contains(run.position) {
                // A run's id is the position of its start. A start that moves to a branch keeps its stamp.
                let moved = Position(stamp: run.position.stamp, replica: event.id.replica)
                require(!positions.contains(moved), "an event on a branch names a moved run by its new id") {
                    "\(event.id) names \(run), which moved to \(moved)"
                }
            }
        }
    }
}
