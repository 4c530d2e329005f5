import FocusCore
import FocusStore

/// The events that were sealed last: a press is sealed to be chained, and mostly right after that to be uploaded.
struct SealedLately {
    private var events: [EventID: (plain: [UInt8], sealed: SealedEvent)] = [:]

    /// How many are kept at most.
    private static let limit = 256

    /// The event as it was sealed; nil where it wasn't lately, or said something else under its name.
    func sealed(_ event: StoredEvent, plain: [UInt8]) -> SealedEvent? {
        guard let (known, sealed) = events[event.id], sealed.stamp == event.stamp,
            sealed.epoch == event.epoch, known == plain
        else { return nil }
        return sealed
    }

    mutating func insert(_ sealed: SealedEvent, plain: [UInt8]) {
        if events.count >= SealedLately.limit { events.removeAll(keepingCapacity: true) }
        events[sealed.id] = (plain, sealed)
    }
}
