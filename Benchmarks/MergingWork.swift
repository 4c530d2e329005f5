import FocusCore
import FocusSeal

/// What a laptop does when it was away: others' events are opened and merged into its log, and the log is replayed. It is
/// measured beside libraries that merge what several people wrote.
enum MergingWork {
    /// `merging EVENTS TIMES`: a third of the events is its own. Says how long each time took, in seconds: for merging, then
    /// for replaying.
    static func run(_ words: ArraySlice<String>) throws {
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == 2 else { throw Programs.Failed(description: "merging EVENTS TIMES") }
        let key = try EpochKey.random()
        let sealer = try Sealer(group: .random(), keys: [key])
        var own: [Event] = []
        var sealed: [SealedEvent] = []
        var events = ReplayBenchmark.makeLog(count: numbers[0], replicas: 3).events(after: nil)
        while let event = events.next() {
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
