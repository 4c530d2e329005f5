import FocusCore
import FocusDevice
import FocusStore
import FocusSync
import SQLiteKit
import TestSupport

// Two laptops that start sessions at the same moment. The laptop with the side run ends it as soon as it
// hears of the other session.
extension Laptop {
    /// Returns the laptop's last seq of each replica in these pushes. If the log can't be read, each value is
    /// `.max`, so that `checkNothingBeside` checks nothing.
    func lengths(ofPushed messages: [Message]) -> [ReplicaID: UInt64] {
        var lengths: [ReplicaID: UInt64] = [:]
        for case .push(let segment) in messages {
            lengths[segment.replica] = (try? device?.store.replica(segment.replica)?.seq ?? 0) ?? .max
        }
        return lengths
    }

    /// Checks the events that the laptop wrote because of another laptop's session.
    func checkBeside(_ written: [Event], at now: SharedInstant) throws {
        hasLookedBeside = true
        expectedReports = nil
        guard let store = device?.store, let whole = try wholeLog() else {
            return world.countSkippedCheck("beside: a long log")
        }
        let names = Set(written.map(\.id))
        let own = try store.ownReplicas()
        guard let writer = written.first?.id.replica ?? own.first,
            let naive = NaiveReturning(
                beside: whole.filter { !names.contains($0.id) }, own: Set(own), writer: writer, now: now)
        else { return }
        world.countReturnCheck("beside another's session")
        check(
            written.map(\.action).withoutNames, naive,
            "beside another's session a laptop writes what the rules say")
        expectReports(naive, at: now)
    }

    /// Checks a laptop that merged a push and didn't look for side runs: it must have had no reason to look.
    ///
    /// - Parameter lengths: The last seqs before the push, as `lengths(ofPushed:)` returns them.
    func checkNothingBeside(since lengths: [ReplicaID: UInt64]) throws {
        guard !hasLookedBeside, disk.hasPower, !disk.isFull, let device,
            try lengths.contains(where: { try device.store.replica($0.key)?.seq ?? 0 > $0.value })
        else { return }
        let own = try device.store.ownReplicas()
        // Other checks compare the displayed state. The plain rules are slow, so they are applied only if the
        // laptop has a side run of its own.
        guard let writer = own.first,
            try device.store.state().sideRuns.contains(where: { own.contains($0.run.id.starter) })
        else { return }
        guard let log = try wholeLog() else { return world.countSkippedCheck("beside: a long log") }
        // The agent's estimate of shared time may differ by up to 2 seconds.
        let now = try device.now()
        let isDue = [.zero - .seconds(2), .zero, .seconds(2)].allSatisfy { (error: Duration) in
            let naive = NaiveReturning(beside: log, own: Set(own), writer: writer, now: now + error)
            return naive?.actions.isEmpty == false
        }
        world.require(!isDue, "who hears of a session beside its own ends one of them") { name }
    }
}
