import FocusCore

/// The presses that laptops have written to their logs, each with its author. None of them may be lost.
final class Ledger {
    /// A press that a laptop has written.
    struct Entry {
        let laptop: Int
        /// The key that the laptop had then.
        let key: Digest
        let group: Int
        let event: Event
        let time: Int64
    }

    private(set) var entries: [Entry] = []
    /// The number of events that the laptops of each group have written.
    private(set) var counts: [Int: Int] = [:]
    /// The group of each replica that a laptop has written as.
    private(set) var groups: [ReplicaID: Int] = [:]

    func record(_ replica: ReplicaID, of group: Int) { groups[replica] = group }

    func record(_ events: [Event], by laptop: Laptop) {
        counts[laptop.group, default: 0] += events.count
        for event in events {
            entries.append(
                Entry(
                    laptop: laptop.index, key: laptop.key, group: laptop.group, event: event,
                    time: laptop.world.now))
        }
    }

    /// Whether a replica has written events in another group.
    func hasEvents(of replica: ReplicaID, outside group: Int) -> Bool {
        entries.contains { $0.event.id.replica == replica && $0.group != group }
    }

    /// The ids that name two different events of the same stamp, so that the world can't tell which of them a
    /// server has. Clones write such events if their logs are equal and have stamps ahead of their clocks.
    var ambiguous: Set<EventID> {
        var known: [EventID: Event] = [:]
        var found: Set<EventID> = []
        for entry in entries {
            let other = known.updateValue(entry.event, forKey: entry.event.id)
            if let other, other.stamp == entry.event.stamp, other.action != entry.event.action {
                found.insert(entry.event.id)
            }
        }
        return found
    }

    /// Removes presses that are allowed to be missing, by their indices in `entries`.
    func forget(_ indices: Set<Int>) {
        guard !indices.isEmpty else { return }
        entries = entries.indices.filter { !indices.contains($0) }.map { entries[$0] }
    }
}
