import FocusCore
import FocusDevice
import FocusServerStore
import FocusStore
import FocusSync
import SQLiteKit

/// The events that a machine has, by name and stamp. Two that share a name, which a cloned laptop makes, mostly differ in
/// their stamps; what a laptop can read is compared too.
struct Holdings {
    private struct Name: Hashable {
        let id: EventID
        let stamp: Stamp
    }

    /// What the events say; nil where the machine can't read that.
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
    /// What its log has; nothing where that can't be read.
    var holdings: Holdings {
        var holdings = Holdings()
        try? hand?.store.forEachStoredEvent { holdings.insert($0.id, $0.stamp, $0.event?.action) }
        return holdings
    }
}

extension ServerMachine {
    /// What the logs of all groups have here; nothing where they can't be read.
    var holdings: Holdings {
        var holdings = Holdings()
        guard let logs, let store = openedToRead() else { return holdings }
        for log in logs {
            for (replica, head) in log.vector.heads {
                var seq: UInt64 = 1
                while seq <= head.seq,
                    let segment = try? store.read({
                        try $0.events(of: replica, from: seq, bytes: Limits.packed, in: log.name)
                    })
                {
                    for event in segment.events { holdings.insert(event.id, event.stamp) }
                    seq = segment.lastSeq + 1
                }
            }
        }
        return holdings
    }
}
