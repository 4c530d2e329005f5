import FocusCore

extension World {
    /// Checks that events that moved to a branch use the new names of runs that moved with them.
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
                let beside = Position(stamp: run.position.stamp, replica: event.id.replica)
                require(!positions.contains(beside), "what names an event moves to a branch with it") {
                    "\(event.id) names \(run), which is \(beside)"
                }
            }
        }
    }
}
