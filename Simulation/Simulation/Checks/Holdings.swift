import FocusClient
import FocusCore
import FocusServer
import FocusStore
import FocusSync
import SQLiteKit

/// The events that a machine has, by name and stamp: two that share a name, which a cloned laptop makes, differ in
/// their stamps.
struct Holdings {
    private struct Name: Hashable {
        let id: EventID
        let stamp: Stamp
    }

    private var names: Set<Name> = []

    func contains(_ event: Event) -> Bool { names.contains(Name(id: event.id, stamp: event.stamp)) }

    fileprivate mutating func insert(_ id: EventID, _ stamp: Stamp) {
        names.insert(Name(id: id, stamp: stamp))
    }
}

extension Laptop {
    /// What its log has; nothing where that can't be read.
    var holdings: Holdings {
        var holdings = Holdings()
        try? hand?.store.forEachStoredEvent { holdings.insert($0.id, $0.stamp) }
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
                    let segment = try? store.events(
                        of: replica, from: seq, bytes: Limits.packed, in: log.name)
                {
                    for event in segment.events { holdings.insert(event.id, event.stamp) }
                    seq = segment.lastSeq + 1
                }
            }
        }
        return holdings
    }
}
