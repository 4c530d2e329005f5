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
        let byID = Dictionary(
            uniqueKeysWithValues: sorted.filter { named.contains($0.id) }.map { ($0.id, $0) })
        var takenBack: Set<EventID> = []
        for event in sorted.reversed() {
            guard case .undo(let targetID) = event.action, !takenBack.contains(event.id) else { continue }
            guard let target = byID[targetID] else { continue }
            switch target.action {
            case .device, .revoke, .readmit: continue
            default: break
            }
            if target.position < event.position {
                takenBack.insert(targetID)
            }
        }
        rest = sorted.filter { !takenBack.contains($0.id) }
        for event in sorted where takenBack.contains(event.id) {
            if case .start(let start) = event.action {
                afterOfTakenBack[RunID(event.position)] = .some(start.after)
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
