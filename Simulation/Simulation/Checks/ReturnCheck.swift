import FocusClient
import FocusCore
import FocusStore
import TestSupport

/// What a laptop's log had as a welcome arrived, before anything that the others had was taken in.
struct Arrival {
    let log: [Event]
    /// What of it nobody else was known to have: the server may have had it nonetheless.
    let pending: Set<EventID>
    /// When what it showed was noted; nil where nothing was.
    let notedAt: Int64?
}

extension Action {
    /// Without the name of what is kept: a laptop may write its own name before, which moves that.
    fileprivate var unnamed: Action {
        guard case .record(var record) = self else { return self }
        record.source = ""
        return .record(record)
    }
}

extension Laptop {
    /// Looks what the log has, once for each connection of the agent.
    func noteArrival() {
        let isConnected = agent?.isConnected == true
        if isConnected, !hasArrived { arrival = try? arrived() }
        if !isConnected { arrival = nil }
        hasArrived = isConnected
    }

    /// Nil where the plain rules say nothing about what comes of it: where the machine has slept, or where a connection
    /// before has noted something that was never used.
    private func arrived() throws -> Arrival? {
        guard let store = hand?.store, try store.value(.sleep) == nil,
            try store.eventCount() <= Laptop.mostChecked
        else { return nil }
        let log = try store.allStoredEvents().compactMap(\.event)
        let bytes = try store.value(.shownWork)
        let pending = try store.pendingOwnEvents()
        let names = Set(pending.map(\.id))
        guard let noted = try bytes.map(ShownWork.init(encoded:)) else {
            return Arrival(log: log, pending: names, notedAt: nil)
        }
        let (state, journal) = try store.history()
        let anew = try ShownWork(
            of: pending, in: store, journal, state,
            own: Set(store.ownReplicas()), at: noted.notedAt)
        return noted == anew ? Arrival(log: log, pending: names, notedAt: noted.notedAt) : nil
    }

    /// On returning the laptop has written what the rules say, as they are written down a second time.
    func checkReturn(_ written: [Event], at now: Int64, from arrival: Arrival) throws {
        guard let store = hand?.store, try store.eventCount() <= Laptop.mostChecked else { return }
        let names = Set(written.map(\.id))
        let own = Set(try store.ownReplicas())
        let log = try store.allStoredEvents().compactMap(\.event).filter { !names.contains($0.id) }
        // What was pressed by a clock that was ahead is written anew before long, or has an end that hasn't come.
        guard log.allSatisfy({ $0.time <= now + 1000 }) else { return }
        // What was pressed here meanwhile changes what is to be done about it.
        let ownBefore = arrival.log.filter { own.contains($0.id.replica) }.map(Fingerprint.init)
        guard log.filter({ own.contains($0.id.replica) }).map(Fingerprint.init) == ownBefore else { return }
        let pending = Set(try store.pendingOwnEvents().map(\.id)).subtracting(names)
        guard let writer = written.first?.id.replica ?? own.first,
            let naive = NaiveReturning(
                log, pending: pending, own: own, writer: writer,
                shown: arrival.notedAt.map { (arrival.log, arrival.pending, $0) }, now: now)
        else { return world.require(false, "a log is a log") { "\(name)'s" } }
        let actions = written.map(\.action).filter { if case .device = $0 { false } else { true } }
        world.counts.returns += 1
        for action in actions { world.reach.note(.returning, caseOf: action) }
        for rule in naive.rules { world.reach.note(.rule, rule.rawValue) }
        for cell in naive.cells { world.reach.note(.rule, "§5 2: pending \(cell)") }
        if !actions.isEmpty { world.counts.returnsWritten += 1 }
        world.require(
            actions.map(\.unnamed) == naive.actions.map(\.unnamed),
            "on returning a laptop writes what the rules say"
        ) { "\(name) wrote \(actions), not \(naive.actions)" }
        for event in written {
            guard case .record(let record) = event.action else { continue }
            let digits = String(event.id.replica.rawValue, radix: 16)
            let replica = String(repeating: "0", count: 16 - digits.count) + digits
            world.require(
                record.source == "offline/\(replica)/\(event.id.seq)",
                "what is kept is named by its own event"
            ) { "\(name) named \(event.id) \(record.source)" }
        }
    }

    /// The rules are plain, and slow, where logs are long.
    private static let mostChecked: UInt64 = 3_000
}
