import FocusCore
import Synchronization

/// A log that counts how often an event is looked up, and how many events are read for replays.
final class CountingLog: ReplayLog {
    /// The log's events in replay order. Each read counts.
    struct Events: EventCursor {
        fileprivate var events: EventLog.OrderedEvents
        fileprivate let log: CountingLog

        mutating func next() -> Event? {
            log.readCount.add(1, ordering: .relaxed)
            return events.next()
        }
    }

    private let log: EventLog
    private let checkpoints: [ReplayState]
    private let lookUpCount = Atomic(0)
    fileprivate let readCount = Atomic(0)

    var lookUps: Int { lookUpCount.load(ordering: .relaxed) }
    var reads: Int { readCount.load(ordering: .relaxed) }

    /// - Parameter interval: The number of events from one checkpoint to the next, or 0 for no checkpoints.
    init(_ log: EventLog, checkpointInterval interval: UInt64 = 0) {
        self.log = log
        var (state, history) = (ReplayState(), NoHistory())
        var checkpoints: [ReplayState] = []
        log.replay(&state, history: &history) { state, _ in
            if interval > 0, state.eventCount % interval == 0 { checkpoints.append(copy state) }
            return true
        }
        self.checkpoints = checkpoints
    }

    func events(after position: Position?) -> Events {
        Events(events: log.events(after: position), log: self)
    }
    func undos(after position: Position?) -> [Undo] { log.undos(after: position) }
    func undos(of id: EventID) -> [Undo] { log.undos(of: id) }
    func forwardUndos() -> [Undo] { log.forwardUndos() }
    func event(_ id: EventID) -> Event? {
        lookUpCount.add(1, ordering: .relaxed)
        return log.event(id)
    }
    func event(at position: Position) -> Event? { log.event(at: position) }
    func earliestForwardStart() -> Position? { log.earliestForwardStart() }
    func checkpoint(before position: Position) -> ReplayState {
        checkpoints.last { position.isAfter($0.position) } ?? ReplayState()
    }
    func takenBackStart(_ run: RunID) -> Action.Start? { log.takenBackStart(run) }
}
