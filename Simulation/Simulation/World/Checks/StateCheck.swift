package import FocusCore
import FocusDevice
import FocusStore
import SQLiteKit
import TestSupport

extension Laptop {
    /// Compares the state that the laptop shows by its checkpoints with the state that `NaiveTimer` computes
    /// from the whole log.
    func checkState() throws {
        guard let device, isUp, disk.hasPower else { return }
        let stored = try device.store.allStoredEvents()
        let now = try device.now()
        let events = NaiveTimer.counted(stored.compactMap(\.event), at: now)
        // The early events that have become due are counted first, as every view does.
        device.updateCounted()
        let (state, journal) = try device.store.history()
        if let hole = stored.firstHole() {
            return world.require(false, "a replica's events have no holes, and their stamps rise") {
                "\(name): \(hole)"
            }
        }
        let shown = NaiveState(state, journal, at: now)
        guard let expected = NaiveTimer.state(of: events, at: now) else {
            return world.require(false, "a laptop's events form a log") { name }
        }
        world.require(shown == expected, "a laptop shows what its log comes to") {
            "\(name) shows \(shown), and its log comes to \(expected)"
        }
        // Unlike `history()`, `state()` computes the state without the journal.
        let direct = NaiveState(try device.store.state(), journal, at: now)
        world.require(direct == expected, "a laptop shows what its log comes to") {
            "\(name) shows \(direct) at once, and its log comes to \(expected)"
        }
    }
}

extension Sequence<StoredEvent> {
    /// Returns the first event with a seq that isn't the next one of its replica, or with a stamp that isn't
    /// greater than the preceding event's. Returns nil if there is none. Sorts all events.
    package func firstHole() -> EventID? {
        var last: [ReplicaID: StoredEvent] = [:]
        for event in sorted(by: { $0.id < $1.id }) {
            let before = last[event.id.replica]
            guard event.id.seq == (before?.id.seq ?? 0) + 1, before.map({ $0.stamp < event.stamp }) ?? true
            else { return event.id }
            last[event.id.replica] = event
        }
        return nil
    }
}
