import FocusCore
import FocusSeal

/// The work of a laptop after being offline: it opens others' events, merges them into its log and replays
/// the log. It is compared with libraries that merge several people's changes.
enum MergeWork {
    /// Runs `merging EVENTS TIMES`: a third of the events are the laptop's own. Prints the seconds for
    /// merging and for replaying, in a line for each time.
    static func run(_ words: ArraySlice<String>) throws {
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == 2 else { throw Programs.Failed(description: "merging EVENTS TIMES") }
        let key = try EpochKey.random()
        let sealer = try Sealer(group: .random(), keys: [key])
        var own: [Event] = []
        var sealed: [SealedEvent] = []
        var events = ReplayBenchmark.makeLog(count: numbers[0], replicas: 3).events(after: nil)
        while let event = events.next() {
            // The first replica of the made log stands for this laptop.
            if event.id.replica == ReplicaID(rawValue: 1 << 32) {
                own.append(event)
            } else {
                sealed.append(try sealer.seal(event, epoch: key.epoch))
            }
        }
        for _ in 0..<numbers[1] {
            var log = try EventLog(own)
            let began = ContinuousClock.now
            for event in sealed { try log.merge(sealer.open(event)) }
            let merged = ContinuousClock.now
            let (state, _) = log.replayed()
            let replayed = ContinuousClock.now
            guard state.eventCount == numbers[0] else {
                throw Programs.Failed(description: "events are missing")
            }
            print((merged - began).seconds, (replayed - merged).seconds)
        }
    }
}
