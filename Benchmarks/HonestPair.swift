import FocusAgent
import FocusCore
import FocusNet
import FocusStore
import Glibc

/// Two laptops of one group, of which one presses ten times a second, and how long each press takes from its agent to
/// the other laptop's log.
final class HonestPair {
    /// What came of the presses.
    struct Outcome: Sendable {
        /// In seconds, the shortest first. What hasn't arrived counts as long as it was waited for.
        var times: [Double] = []
        /// How many never arrived.
        var lost = 0

        /// What so much of the presses took at most, in seconds.
        func time(of part: Double) -> Double {
            times.isEmpty ? .infinity : times[min(times.count - 1, Int(Double(times.count) * part))]
        }
    }

    private let fleet: Fleet
    private let presses = Presses()

    /// The presses, which belong to the loop's thread.
    fileprivate final class Presses: @unchecked Sendable {
        // Only touched on the loop's thread.
        var timer: LoopTimer?
        var pressed = 0
        /// When the agent was told of each press that hasn't arrived, by the seq of its event.
        var underWay: [(seq: UInt64, at: ContinuousClock.Instant)] = []
        var times: [Double] = []
    }

    /// - Parameter homes: two laptops' folders, which are in one group already.
    init(_ homes: [String]) throws {
        fleet = try Fleet(homes)
        try fleet.wait("both are connected") { $0.isConnected }
        fleet.press(.start(label: "before"), even: true)
        try fleet.wait("the first press has arrived") { try $0.hasNothingPending() }
    }

    /// Presses from now on.
    func begin() throws {
        let loop = fleet.loop
        try fleet.onLoop { [presses] crew in
            let (presser, watcher) = (crew.laptops[0], crew.laptops[1])
            watcher.whenChanged = { [unowned presser, unowned watcher] in
                presses.look(presser, watcher)
            }
            presses.timer = loop.schedule(every: .milliseconds(100)) { [unowned presser] in
                presses.press(presser)
            }
        }
    }

    /// Presses no longer, and gives the last presses so long to arrive.
    func end(within patience: Duration) throws -> Outcome {
        try fleet.onLoop { [presses] _ in presses.timer?.cancel() }
        let end = ContinuousClock.now + patience
        while try fleet.onLoop({ [presses] _ in !presses.underWay.isEmpty }), ContinuousClock.now < end {
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
        if let own = try? laptop.ownReplica() { underWay.append((own.seq, .now)) }
        laptop.agent.poked()
    }

    fileprivate func look(_ presser: FleetLaptop, _ watcher: FleetLaptop) {
        guard let own = try? presser.ownReplica(), let seen = try? watcher.count(of: own.id) else { return }
        let now = ContinuousClock.now
        times += underWay.prefix { $0.seq <= seen }.map { (now - $0.at).seconds }
        underWay.removeAll { $0.seq <= seen }
    }

    fileprivate func outcome() -> HonestPair.Outcome {
        let now = ContinuousClock.now
        let late = underWay.map { (now - $0.at).seconds }
        return HonestPair.Outcome(times: (times + late).sorted(), lost: late.count)
    }
}
