import FocusCore
import FocusStore
import SQLiteKit

/// A device's log on the disk in memory.
enum StoredLog {
    /// Whether a press that one connection writes is read by another.
    static var works: Bool {
        let disk = Disk.virtual(VirtualDisk(canLosePower: false))
        guard let writer = try? open(disk, .writing), let run = try? press(writer),
            let reader = try? open(disk, .reading), let state = try? reader.history().state
        else { return false }
        return state.eventCount == 1 && state.current?.id == run
            && (try? reader.integrityProblems().isEmpty) == true
    }

    private enum PressFailure: ExpressibleByStoreError {
        case store
        case refused

        init(_ error: StoreError) { self = .store }
    }

    private static func open(
        _ disk: Disk, _ access: DeviceStore.Access
    ) throws(StoreError) -> DeviceStore {
        try DeviceStore(path: "/focus.db", on: disk, access: access) { ReplicaID(rawValue: 7) }
    }

    /// Starts the timer. Returns the run.
    private static func press(_ store: DeviceStore) throws(PressFailure) -> RunID? {
        let now = SharedInstant(milliseconds: 1_763_661_600_000)
        return try store.author(now: now) { (authoring) throws(PressFailure) in
            let context = PressContext(now: now, offline: true, mark: 1)
            let actions = try PressFailure.converting { () throws(StoreError) in
                try Interaction.toggle.actions(on: authoring.state, in: store, context)
            }
            guard case .success(let presses) = actions else { throw .refused }
            return try PressFailure.converting { () throws(StoreError) in
                try authoring.write(presses)
                return authoring.state.current?.id
            }
        }.result
    }
}

/// Uses the methods of a store that are generic, to show that they compile for a browser.
func move(
    _ tail: [StoredEvent], in store: DeviceStore, _ group: GroupID, _ chains: some ChainProvider
) throws(StoreError) {
    try store.receiving(for: group) { () throws(StoreError) in
        _ = try store.mergeTail(tail, chains)
        for event in tail { try store.moveTail(of: event.id.replica, from: .empty, chains) }
        _ = try store.moveTailsAside(chains, isKnown: { _ in true }) { $0.body }
    }
    try store.atomically { () throws(StoreError) in try store.dropCaches() }
}
