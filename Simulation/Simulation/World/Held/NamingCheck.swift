import FocusCore

extension World {
    /// The run that an event names is called as the event's own replica is, where it was started as that: where a tail has
    /// moved to a branch, both have moved.
    ///
    /// Corrections aren't looked at: who makes one may have seen the record under its former name. Nor is what names a run
    /// ahead of it, as only who means harm does: that keeps its name.
    ///
    /// - Parameter log: all that a group's laptops can read.
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
