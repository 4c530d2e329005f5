import FocusCore

/// What was written and by whom: what must not be lost, and whose it is.
final class Ledger {
    /// A press that its laptop has taken.
    struct Entry {
        let laptop: Int
        /// The key that the laptop had then.
        let key: Digest
        let group: Int
        let event: Event
        let time: Int64
    }

    private(set) var entries: [Entry] = []
    /// How many events each group's laptops have written.
    private(set) var counts: [Int: Int] = [:]
    /// Which group each replica that a laptop took belongs to.
    private(set) var groups: [ReplicaID: Int] = [:]

    func note(_ replica: ReplicaID, of group: Int) { groups[replica] = group }

    func note(_ events: [Event], by laptop: Laptop) {
        counts[laptop.group, default: 0] += events.count
        for event in events {
            entries.append(
                Entry(
                    laptop: laptop.index, key: laptop.key, group: laptop.group, event: event,
                    time: laptop.world.now))
        }
    }

    /// Whether a replica has written anything in another group.
    func hasEvents(of replica: ReplicaID, outside group: Int) -> Bool {
        entries.contains { $0.event.id.replica == replica && $0.group != group }
    }

    /// The events whose names and stamps stand for something else too: two laptops that are one have pressed, each after the
    /// same log whose stamps are ahead of the clock. A server can't tell which of them it has.
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

    /// Forgets presses that are rightly gone, by their places.
    func forget(_ places: Set<Int>) {
        guard !places.isEmpty else { return }
        entries = entries.indices.filter { !places.contains($0) }.map { entries[$0] }
    }
}
