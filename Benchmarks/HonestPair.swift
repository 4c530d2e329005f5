import FocusAgent
import FocusCore
import FocusNet
import FocusStore
import Glibc

/// Two laptops of one group. One presses ten times a second, and each press is timed from its agent to the
/// other laptop's log.
final class HonestPair {
    /// The measurements of the presses.
    struct Outcome: Sendable {
        /// The times in seconds, the shortest first. A press that hasn't arrived counts with the time waited
        /// for it.
        var times: [Double] = []
        /// The number of presses that never arrived.
        var lost = 0

        /// Returns a quantile of the times in seconds.
        ///
        /// - Parameter fraction: The fraction of presses that took at most the returned time, from 0 to 1.
        func quantile(_ fraction: Double) -> Double {
            times.isEmpty ? .infinity : times[min(times.count - 1, Int(Double(times.count) * fraction))]
        }
    }

    private let fleet: Fleet
    private let presses = Presses()

    /// The presses. They belong to the loop's thread.
    fileprivate final class Presses: @unchecked Sendable {
        // Only used on the loop's thread.
        var timer: LoopTimer?
        var pressed = 0
        /// The presses that haven't arrived: the seq of each event, and the instant at which the agent was
        /// notified.
        var pending: [(seq: UInt64, at: ContinuousClock.Instant)] = []
        var times: [Double] = []
    }

    /// - Parameter homes: Two laptops' folders. The laptops must be in one group already.
    init(_ homes: [String]) throws {
        fleet = try Fleet(homes)
        try fleet.wait("both are connected") { $0.isConnected }
        fleet.press(.start(label: "before"), onEven: true)
        try fleet.wait("the first press has arrived") { try $0.hasNothingPending() }
    }

    /// Starts pressing.
    func begin() throws {
        let loop = fleet.loop
        try fleet.onLoop { [presses] crew in
            let (presser, watcher) = (crew.laptops[0], crew.laptops[1])
            watcher.whenChanged = { [unowned presser, unowned watcher] in
                presses.recordArrivals(presser, watcher)
            }
            presses.timer = loop.schedule(every: .milliseconds(100)) { [unowned presser] in
                presses.press(presser)
            }
        }
    }

    /// Stops pressing, and waits up to `patience` for the last presses to arrive.
    func end(within patience: Duration) throws -> Outcome {
        try fleet.onLoop { [presses] _ in presses.timer?.cancel() }
        let end = ContinuousClock.now + patience
        while try fleet.onLoop({ [presses] _ in !presses.pending.isEmpty }), ContinuousClock.now < end {
            poll(nil, 0, 20)
        }
        let outcome = try fleet.onLoop { [presses] _ in presses.outcome() }
        fleet.end()
        return outcome
    }
}

extension HonestPair.Presses {
    fileprivate func press(_ laptop: FleetLaptop) {
        pressed += 1
        laptop.perform(.label("press \(pressed)"))
        if let own = try? laptop.ownReplica() { pending.append((own.seq, .now)) }
        laptop.agent.poked()
    }

    fileprivate func recordArrivals(_ presser: FleetLaptop, _ watcher: FleetLaptop) {
        guard let own = try? presser.ownReplica(), let seen = try? watcher.count(of: own.id) else { return }
        let now = ContinuousClock.now
        times += pending.prefix { $0.seq <= seen }.map { (now - $0.at).seconds }
        pending.removeAll { $0.seq <= seen }
    }

    fileprivate func outcome() -> HonestPair.Outcome {
        let now = ContinuousClock.now
        let late = pending.map { (now - $0.at).seconds }
        return HonestPair.Outcome(times: (times + late).sorted(), lost: late.count)
    }
}
