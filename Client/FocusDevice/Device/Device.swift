package import FocusCore
package import FocusStore

/// This laptop: its log, its clocks and its identity. All front ends read and press through it.
///
/// An instance belongs to one thread at a time. Several may be open at once, in one process or many.
package final class Device {
    /// The paths of the log and the device's other files.
    package let home: Home
    /// The log, and the data stored beside it.
    package let store: DeviceStore
    /// The platform that the device runs on.
    package let platform: Platform
    /// The last result of `shownState`.
    private var lastShown: ReplayState?
    private var catchUp = CatchUp()
    /// The last result of `undoTargets`.
    private var knownTargets: UndoTargets?

    /// A device with a log that is already open.
    ///
    /// - Parameter home: The paths of the device's files.
    package init(_ home: Home, _ store: DeviceStore, _ platform: Platform) {
        self.home = home
        self.store = store
        self.platform = platform
    }

    /// The platform's clocks. For the time that all laptops share, see `now`.
    package var clocks: MachineClocks { platform.clocks }

    /// Returns the name of this device for the others: the one given to it, or else the host name.
    package func name() throws(StoreError) -> String { try store.text(.deviceName) ?? platform.hostName() }

    /// Returns shared time as the device knows it now.
    package func clock() throws(StoreError) -> SharedClock {
        SharedClock(try store.value(.clock).flatMap { try? ClockSample(encoded: $0) }, clocks)
    }

    /// Returns the present instant in shared time.
    package func now() throws(StoreError) -> SharedInstant { try clock().now() }

    /// Updates the stored set of events that count at the present instant (docs/timer-rules.md §1). If it can't
    /// be written, the former set stays in force.
    package func updateCounted() {
        guard let now = try? now() else { return }
        _ = try? store.updateCounted(at: now)
    }

    /// Returns all replicas that this device writes or wrote under.
    package func ownReplicas() throws(StoreError) -> Set<ReplicaID> { Set(try store.ownReplicas()) }

    /// Returns all replicas of this device, or nil if it is in no group.
    package func ownReplicasInGroup() throws(StoreError) -> Set<ReplicaID>? {
        try store.group() == nil ? nil : ownReplicas()
    }

    /// Runs `body` on this device. Rethrows an error of the store as a `DeviceFailure` with the log's path.
    package func attempt<Result>(
        _ body: (Device) throws(StoreError) -> Result
    ) throws(DeviceFailure) -> Result {
        do throws(StoreError) {
            return try body(self)
        } catch {
            throw .store(error, path: home.database)
        }
    }
}

// MARK: - The state that views show

extension Device {
    /// Returns the state of the log or, while the log catches up, the last one that was shown.
    package func shownState() throws(StoreError) -> ReplayState {
        if let lastShown, try isCatchingUp() { return lastShown }
        let state = try store.state()
        lastShown = state
        return state
    }

    /// Whether the log catches up (`CatchUp`).
    package func isCatchingUp() throws(StoreError) -> Bool { try catchUp.isUnderWay(on: self) }
}

// MARK: - Undo and redo

/// The events that an undo and a redo take back.
private struct UndoTargets {
    /// The state after replaying the log in which they were found.
    let state: ReplayState
    let undoable: Event?
    let undo: Undo?
}

extension Device {
    /// Returns the event that an undo takes back, or nil if there is none. The log is searched once for each
    /// state, because views ask often.
    package func undoable(_ state: ReplayState) throws(StoreError) -> Event? {
        try undoTargets(state).undoable
    }

    /// Returns the undo that a redo takes back, or nil if there is none. Cost: as of `undoable`.
    package func lastUndo(_ state: ReplayState) throws(StoreError) -> Undo? { try undoTargets(state).undo }

    private func undoTargets(_ state: ReplayState) throws(StoreError) -> UndoTargets {
        if let known = knownTargets, known.state == state { return known }
        let found = try store.reading { () throws(StoreError) in
            UndoTargets(
                state: state, undoable: try store.undoable(state), undo: try store.lastUndo(state))
        }
        knownTargets = found
        return found
    }
}
