import FocusCore
import FocusDevice
import FocusServerStore
import FocusStore
import FocusSync
import SQLiteKit

/// The events that a machine has, by name and stamp. Two events with the same name, which a cloned laptop
/// writes, mostly differ in their stamps. The actions are compared too if the machine can read them.
struct StoredEventSet {
    private struct Name: Hashable {
        let id: EventID
        let stamp: Stamp
    }

    /// The events' actions; nil if the machine can't read one.
    private var actions: [Name: Action?] = [:]

    func contains(_ event: Event) -> Bool {
        guard let known = actions[Name(id: event.id, stamp: event.stamp)] else { return false }
        return known == nil || known == event.action
    }

    fileprivate mutating func insert(_ id: EventID, _ stamp: Stamp, _ action: Action? = nil) {
        actions.updateValue(action, forKey: Name(id: id, stamp: stamp))
    }
}

extension Laptop {
    /// The events in the laptop's log; none if it can't be read.
    var storedEvents: StoredEventSet {
        var storedEvents = StoredEventSet()
        try? device?.store.forEachStoredEvent { storedEvents.insert($0.id, $0.stamp, $0.event?.action) }
        return storedEvents
    }
}

extension ServerMachine {
    /// The events in the logs of all groups on the server; none if they can't be read.
    var storedEvents: StoredEventSet {
        var storedEvents = StoredEventSet()
        guard let logs, let store = openedToRead() else { return storedEvents }
        for log in logs {
            for (replica, head) in log.vector.heads {
                var seq: UInt64 = 1
                while seq <= head.seq,
                    let segment = try? store.read({
                        try $0.events(of: replica, from: seq, bytes: Limits.packed, in: log.name)
                    })
                {
                    for event in segment.events { storedEvents.insert(event.id, event.stamp) }
                    seq = segment.lastSeq + 1
                }
            }
        }
        return storedEvents
    }
}
