import FocusCore
import FocusStore
import FocusSync

/// A cache of recently sealed events. A press is sealed to compute its chain, and usually uploaded right
/// after that. With the cache it isn't sealed again.
struct RecentSealedEvents {
    private var events: [EventID: (plain: [UInt8], sealed: SealedEvent)] = [:]

    /// The most events that are kept.
    private static let limit = 256

    /// Returns the event as it was sealed; nil if it isn't cached, or was cached with other content.
    func sealed(_ event: StoredEvent, plain: [UInt8]) -> SealedEvent? {
        guard let (known, sealed) = events[event.id], sealed.stamp == event.stamp,
            sealed.epoch == event.epoch, known == plain
        else { return nil }
        return sealed
    }

    mutating func insert(_ sealed: SealedEvent, plain: [UInt8]) {
        if events.count >= RecentSealedEvents.limit { events.removeAll(keepingCapacity: true) }
        events[sealed.id] = (plain, sealed)
    }
}
