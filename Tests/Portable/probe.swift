// Uses all generic code in the way of a program with a log in memory, to show that it compiles for a browser.
// Compiling the modules isn't enough: Embedded Swift compiles generic code only for the types that use it.

package import FocusCore
package import FocusSync
package import FocusText

/// Uses the queries of a log, and the actions of a device on returning.
package func ask(
    _ log: EventLog, _ state: ReplayState, _ journal: Journal, of news: [Event], _ context: PressContext,
    own: Set<ReplicaID>
) throws(InteractionError) {
    let now = context.now
    for event in news {
        _ = try Interaction.toggle.actions(on: state, in: log, context).get()
        _ = log.obstacle(to: event.action, state)
        _ = log.standIn(for: event, shown: TimerState(state, at: now), state, at: now)
        _ = log.firstAffected(by: [event])
        _ = OfflineWorkNote(displacedFrom: event, in: log, state)
    }
    _ = log.lastPresser(of: news, own: own)
    _ = LatePress(of: news, after: state, in: log, state, at: now)
    if let sleep = Suspension(from: .zero, until: now) {
        _ = ActivitySinceSuspension(sleep, in: log, own: own)
    }
    _ = ReconnectActions(overtaken: news, of: state, in: log, own: own, returnUndos: [])
    _ = ReconnectActions(sideRunsOf: state, in: log, own: own, at: now)
    guard let shown = OfflineWorkNote(of: news, in: log, journal, state, own: own, at: now) else { return }
    let note = shown.broughtForward(in: log, own: own, hasSlept: false)
    _ = PhaseContinuation(with: note, after: state, in: log, own: own, at: now)
    _ = OfflineWorkRecords(
        note, besides: journal, state, in: log, own: own, hasLostSetting: true, continuesPhase: false,
        at: now)
}

/// Uses the code that makes a log and its timeline, also after re-authoring.
package func make(_ events: [Event], at now: SharedInstant, as replica: ReplicaID) throws(EventLog.Refusal)
    -> Timeline
{
    let log = try EventLog(events)
    let reauthored = ReauthoredEvents(events, error: .zero, now: now, as: replica) {
        log.event(at: $0.position) != nil
    } stamp: {
        log.event($0)?.stamp
    }
    var timeline = Timeline()
    try timeline.merge(reauthored.events)
    return timeline
}

/// Uses the code that parses a log's text.
package func read(_ text: String) throws(EventLine.Malformed) -> EventLine {
    let line = try EventLine(parsing: text.utf8)
    _ = CivilTime(extended: text)
    _ = CivilTime(basic: text)
    return line
}

/// Uses the code that merges a server's segments.
package func take(_ segment: Segment, _ head: ReplicaHead, waiting backoff: inout Backoff) -> SegmentMerge {
    var generator = SystemRandomNumberGenerator()
    _ = backoff.next(using: &generator)
    return head.merging(
        segment, admission: .server(now: nil, latest: .zero), isKnown: { _ in true },
        holds: { $0.chain == head.head.chain },
        chain: { chain, _, _ in chain })
}
