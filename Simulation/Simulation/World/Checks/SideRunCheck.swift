import FocusCore
import FocusDevice
import FocusStore
import FocusSync
import SQLiteKit
import TestSupport

// Checks for two laptops that start sessions at the same moment: the laptop with the side run must end it as
// soon as it hears of the other session.
extension Laptop {
    /// Returns the laptop's last seq of each replica in these pushes. If the log can't be read, each value is
    /// `.max`, so that `checkUntouchedSideRuns` checks nothing.
    func lastSeqs(ofPushed messages: [Message]) -> [ReplicaID: UInt64] {
        var lastSeqs: [ReplicaID: UInt64] = [:]
        for case .push(let segment) in messages {
            lastSeqs[segment.replica] = (try? device?.store.replica(segment.replica)?.seq ?? 0) ?? .max
        }
        return lastSeqs
    }

    /// Records the `start` with which the laptop has continued a work phase. A laptop that writes displaced
    /// work of it forgets it.
    func recordContinuation() { continuation = try? device?.store.continuation() }

    /// Checks the events that the laptop wrote because of another laptop's session.
    func checkSideRuns(_ written: [Event], at now: SharedInstant) throws {
        hasCheckedSideRuns = true
        expectedReports = nil
        guard let store = device?.store, let whole = try wholeLog() else {
            return world.countSkippedCheck("beside: a long log")
        }
        let names = Set(written.map(\.id))
        let own = try store.ownReplicas()
        guard let writer = written.first?.id.replica ?? own.first,
            let naive = NaiveReturning(
                sideRunsIn: whole.filter { !names.contains($0.id) }, own: Set(own), writer: writer,
                continued: continuation, now: now)
        else { return }
        world.countReturnCheck("beside another's session")
        check(
            written.map(\.action).withoutNames, naive,
            "beside another's session a laptop writes what the rules say")
        expectReports(naive, at: now)
    }

    /// Checks a laptop that merged a push and didn't look for side runs: it must have had no reason to look.
    ///
    /// - Parameter lastSeqs: The last seqs before the push, as `lastSeqs(ofPushed:)` returns them.
    func checkUntouchedSideRuns(since lastSeqs: [ReplicaID: UInt64]) throws {
        guard !hasCheckedSideRuns, disk.hasPower, !disk.isFull, let device,
            try lastSeqs.contains(where: { try device.store.replica($0.key)?.seq ?? 0 > $0.value })
        else { return }
        let own = try device.store.ownReplicas()
        // The plain rules are slow, so they are applied only if the laptop's state has a side run of its own,
        // or if others may displace work that it continued. Other checks compare that state.
        let continued = try device.store.continuation()
        guard let writer = own.first,
            try continued != nil
                || device.store.state().sideRuns.contains(where: { own.contains($0.run.id.starter) })
        else { return }
        guard let log = try wholeLog() else { return world.countSkippedCheck("beside: a long log") }
        // The agent's estimate of shared time may differ by up to 2 seconds.
        let now = try device.now()
        let isDue = [.zero - .seconds(2), .zero, .seconds(2)].allSatisfy { (error: Duration) in
            let naive = NaiveReturning(
                sideRunsIn: log, own: Set(own), writer: writer, continued: continued, now: now + error)
            return naive?.actions.isEmpty == false
        }
        world.require(
            !isDue, "who hears of a session beside its own ends one of them, and keeps its work"
        ) { name }
    }
}
