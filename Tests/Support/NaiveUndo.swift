import FocusCore

/// The events of a log that count, worked out from its end to its start (docs/timer-rules.md §4, "undo"). By
/// the time an undo is reached, it is known whether another undo takes it back.
struct NaiveUndo {
    /// The events that were not undone, in replay order.
    let notUndone: [Event]
    /// The `after` of each start that was undone.
    private var afterOfTakenBack: [RunID: RunID?] = [:]

    /// - Parameter sorted: The whole log in replay order.
    init(sorted: [Event]) {
        let named = Set(
            sorted.compactMap { event -> EventID? in
                if case .undo(let id) = event.action { id } else { nil }
            })
        guard !named.isEmpty else {
            notUndone = sorted
            return
        }
        // The indices of the events that an undo names.
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
            // An undo takes back an event before it. The indices are in replay order, so they can be
            // compared.
            if target < place { isTakenBack[target] = true }
            // It also takes back an event that was early at the undo's time, even if that event stands after
            // it in replay order. This doesn't hold for undos.
            if case .undo = sorted[target].action { continue }
            if sorted[target].time > sorted[place].time + 120_000 { isTakenBack[target] = true }
        }
        notUndone = sorted.indices.filter { !isTakenBack[$0] }.map { sorted[$0] }
        for place in sorted.indices where isTakenBack[place] {
            if case .start(let start) = sorted[place].action {
                afterOfTakenBack[RunID(sorted[place].position)] = .some(start.after)
            }
        }
    }

    /// The run that a start's `after` names. Starts that were undone are followed to one that was not; nil if
    /// they form a ring.
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
