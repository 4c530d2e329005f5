import FocusAgent
package import FocusCore
import FocusDevice
package import FocusLink
import FocusStore
package import TestSupport

// What tests may look at after a run.
extension World {
    /// What a laptop shows now, as the plain second implementation of the rules would say it.
    package func shown(by index: Int) throws -> NaiveState? {
        guard laptops.indices.contains(index), let hand = laptops[index].hand else { return nil }
        hand.updateCounted()
        let (state, journal) = try hand.store.history()
        return NaiveState(state, journal, at: try hand.now())
    }

    /// A laptop's events that can be read, in replay order.
    package func events(of index: Int) throws -> [Event] {
        guard laptops.indices.contains(index), let hand = laptops[index].hand else { return [] }
        return try hand.store.allStoredEvents().compactMap(\.event)
    }

    /// Whether whoever follows a laptop's agent was told to look once it had all of these.
    package func hasToldAll(of events: [Event], by index: Int) throws -> Bool {
        guard laptops.indices.contains(index) else { return false }
        let told = laptops[index].told
        return events.allSatisfy { $0.id.seq <= told[$0.id.replica] ?? 0 }
    }

    /// How many of a laptop's events can't be read.
    package func sealedEvents(of index: Int) throws -> UInt64 {
        guard laptops.indices.contains(index), let hand = laptops[index].hand else { return 0 }
        return try hand.store.sealedCount()
    }

    /// The epochs whose keys a laptop has, the newest last.
    package func epochs(of index: Int) throws -> [EpochID] {
        guard laptops.indices.contains(index), let hand = laptops[index].hand else { return [] }
        return try hand.store.epochs().map(\.id)
    }

    /// The epochs that a laptop's own events belong to, in the order of the events.
    package func ownEpochs(of index: Int) throws -> [EpochID] {
        guard laptops.indices.contains(index), let hand = laptops[index].hand else { return [] }
        let own = try hand.ownReplicas()
        return try hand.store.allStoredEvents().filter { own.contains($0.id.replica) }.compactMap(\.epoch)
    }

    /// How often the server's disk has stopped in the middle of something.
    package var serverFailures: Int { server.failures }

    /// What a laptop has been told while syncing, since it was last started.
    package func notices(of index: Int) -> [SyncNotice] {
        laptops.indices.contains(index) ? laptops[index].agent?.notices ?? [] : []
    }
}
