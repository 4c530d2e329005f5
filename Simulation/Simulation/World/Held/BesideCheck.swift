import FocusCore
import FocusDevice
import FocusStore
import FocusSync
import SQLiteKit
import TestSupport

// Two that started in one moment: the one whose session stands beside the other's ends it as soon as it hears of that.
extension Laptop {
    /// How far it has each of the replicas that it is about to be pushed something of. A log that can't be read now is no
    /// news: its disk may be failing.
    func lengths(ofPushed messages: [Message]) -> [ReplicaID: UInt64] {
        var lengths: [ReplicaID: UInt64] = [:]
        for case .push(let segment) in messages {
            lengths[segment.replica] = (try? hand?.store.replica(segment.replica)?.seq ?? 0) ?? .max
        }
        return lengths
    }

    /// It has looked at its sessions, and written this on account of another's.
    func checkBeside(_ written: [Event], at now: SharedInstant) throws {
        hasLookedBeside = true
        owed = nil
        guard let store = hand?.store, let whole = try wholeLog() else {
            return world.skipReturn("beside: a long log")
        }
        let names = Set(written.map(\.id))
        let own = try store.ownReplicas()
        guard let writer = written.first?.id.replica ?? own.first,
            let naive = NaiveReturning(
                beside: whole.filter { !names.contains($0.id) }, own: Set(own), writer: writer, now: now)
        else { return }
        if !written.isEmpty { world.counts.besides += 1 }
        world.holdReturn("beside another's session")
        check(
            written.map(\.action).withoutNames, naive,
            "beside another's session a laptop writes what the rules say")
        owe(naive, at: now)
    }

    /// It has taken in and replayed what was pushed, had these lengths before, and hasn't looked at its sessions: it had no
    /// reason to.
    func checkNothingBeside(since lengths: [ReplicaID: UInt64]) throws {
        guard !hasLookedBeside, disk.hasPower, !disk.isFull, let hand,
            try lengths.contains(where: { try hand.store.replica($0.key)?.seq ?? 0 > $0.value })
        else { return }
        let own = try hand.store.ownReplicas()
        // What is shown is held against the plain rules elsewhere. These are asked only where there is something to ask.
        guard let writer = own.first,
            try hand.store.state().sideRuns.contains(where: { own.contains($0.run.id.starter) })
        else { return }
        guard let log = try wholeLog() else { return world.skipReturn("beside: a long log") }
        // Its agent may take it to be a little earlier or later.
        let now = try hand.now()
        let isDue = [.zero - .seconds(2), .zero, .seconds(2)].allSatisfy { (error: Duration) in
            let naive = NaiveReturning(beside: log, own: Set(own), writer: writer, now: now + error)
            return naive?.actions.isEmpty == false
        }
        world.require(!isDue, "who hears of a session beside its own ends one of them") { name }
    }
}
