import FocusAgent
package import FocusCore
import FocusDevice
package import FocusLink
import FocusStore
package import TestSupport

// The results of a run, for tests.
extension World {
    /// Returns the state that a laptop shows now, in the form of `NaiveTimer`.
    package func shown(by index: Int) throws -> NaiveState? {
        guard laptops.indices.contains(index), let device = laptops[index].device else { return nil }
        device.updateCounted()
        let (state, journal) = try device.store.history()
        return NaiveState(state, journal, at: try device.now())
    }

    /// Returns a laptop's readable events, in replay order.
    package func events(of index: Int) throws -> [Event] {
        guard laptops.indices.contains(index), let device = laptops[index].device else { return [] }
        return try device.store.allStoredEvents().compactMap(\.event)
    }

    /// Whether a laptop's agent has notified its followers at a time when its log had all of these events.
    package func hasNotifiedAll(of events: [Event], by index: Int) throws -> Bool {
        guard laptops.indices.contains(index) else { return false }
        let notifiedSeqs = laptops[index].notifiedSeqs
        return events.allSatisfy { $0.id.seq <= notifiedSeqs[$0.id.replica] ?? 0 }
    }

    /// Returns the number of a laptop's events that can't be read.
    package func sealedEvents(of index: Int) throws -> UInt64 {
        guard laptops.indices.contains(index), let device = laptops[index].device else { return 0 }
        return try device.store.sealedCount()
    }

    /// Returns the epochs with keys that a laptop has, the newest last.
    package func epochs(of index: Int) throws -> [EpochID] {
        guard laptops.indices.contains(index), let device = laptops[index].device else { return [] }
        return try device.store.epochs().map(\.id)
    }

    /// Returns the epochs of a laptop's own events, in the order of the events.
    package func ownEpochs(of index: Int) throws -> [EpochID] {
        guard laptops.indices.contains(index), let device = laptops[index].device else { return [] }
        let own = try device.ownReplicas()
        return try device.store.allStoredEvents().filter { own.contains($0.id.replica) }.compactMap(\.epoch)
    }

    /// The number of times that the server's disk stopped while the server was running.
    package var serverFailures: Int { server.failures }

    /// Returns the notices of a laptop's agent since it was last started.
    package func notices(of index: Int) -> [SyncNotice] {
        laptops.indices.contains(index) ? laptops[index].agent?.notices ?? [] : []
    }
}
