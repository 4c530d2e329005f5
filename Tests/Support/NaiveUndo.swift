import FocusCore

/// Which events of a log count, worked out from the log's end to its start (docs/timer-rules.md §4, "undo").
struct NaiveUndo {
    /// The events that were not taken back, in replay order.
    let rest: [Event]
    /// The `after` of each start that was taken back.
    private var afterOfTakenBack: [RunID: RunID?] = [:]

    /// `sorted` is the whole log in replay order.
    init(sorted: [Event]) {
        let named = Set(
            sorted.compactMap { event -> EventID? in
                if case .undo(let id) = event.action { id } else { nil }
            })
        guard !named.isEmpty else {
            rest = sorted
            return
        }
        // Where those are that an undo names.
        let places = Dictionary(
            uniqueKeysWithValues: sorted.indices.filter { named.contains(sorted[$0].id) }
                .map { (sorted[$0].id, $0) })
        var isTakenBack = Array(repeating: false, count: sorted.count)
        for place in sorted.indices.reversed() {
            guard case .undo(let targetID) = sorted[place].action, !isTakenBack[place],
                let target = places[targetID]
            else { continue }
            switch sorted[target].action {
            case .device, .revoke, .readmit: continue
            default: break
            }
            // In replay order, so what comes before has the lesser position.
            if target < place { isTakenBack[target] = true }
            // What lay more than 2 minutes ahead, and is no undo itself.
            if case .undo = sorted[target].action { continue }
            if sorted[target].time > sorted[place].time + 120_000 { isTakenBack[target] = true }
        }
        rest = sorted.indices.filter { !isTakenBack[$0] }.map { sorted[$0] }
        for place in sorted.indices where isTakenBack[place] {
            if case .start(let start) = sorted[place].action {
                afterOfTakenBack[RunID(sorted[place].position)] = .some(start.after)
            }
        }
    }

    /// The run that a start's `after` names: through the starts that were taken back to one that was not.
    /// None, where they form a ring.
    func runNamed(by after: RunID?) -> RunID? {
        var passed: Set<RunID> = []
        var name = after
        while let run = name, let next = afterOfTakenBack[run] {
            if !passed.insert(run).inserted { return nil }
            name = next
        }
        return name
    }
}
