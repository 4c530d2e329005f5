package import FocusCore

/// One line of a log as text (docs/commands.md, "A log as text"): an event, and the epoch it was sealed
/// under, where there is one.
package struct EventLine: Hashable, Sendable {
    /// The event as the line says it. Whether it fits into a log shows as it is merged.
    package let event: Event
    /// The epoch that the event was sealed under; nil where the line names none.
    package let epoch: EpochID?

    /// The line of an event; unless said otherwise, of one that was sealed under no epoch.
    package init(_ event: Event, epoch: EpochID? = nil) {
        self.event = event
        self.epoch = epoch
    }
}

extension EventLine {
    /// Why a line is not an event.
    package enum Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        case notJSON(JSON.Malformed)
        case notAnObject
        case missing(field: String)
        case mistyped(field: String, wanted: String)
        /// The event's stamp is 2^63 or more.
        case stampTooLarge

        package var description: String {
            switch self {
            case .notJSON(let problem): "not JSON: \(problem)"
            case .notAnObject: "not a JSON object"
            case .missing(let field): "\"\(field)\" is missing"
            case .mistyped(let field, let wanted): "\"\(field)\" is not \(wanted)"
            case .stampTooLarge: "\"ms\" is past the last instant a stamp can have"
            }
        }
    }

    /// The event that a line of text is.
    package init(parsing line: some Sequence<UInt8>) throws(Malformed) {
        let object: JSON
        do throws(JSON.Malformed) {
            object = try JSON(parsing: line)
        } catch {
            throw .notJSON(error)
        }
        guard case .object(let members) = object else { throw .notAnObject }
        let fields = EventFields(members)
        let replica = try fields.replica("replica")
        let seq = try fields.whole("seq")
        guard seq >= 1 else { throw .mistyped(field: "seq", wanted: "1 or more") }
        let time = try fields.instant("ms")
        guard time >= .zero else { throw .mistyped(field: "ms", wanted: "0 or more") }
        let counter = try fields.whole("counter")
        guard let counter = UInt16(exactly: counter) else {
            throw .mistyped(field: "counter", wanted: "in 0…65535")
        }
        guard let stamp = Stamp(time: time, counter: counter) else { throw .stampTooLarge }
        let action = try fields.action()
        event = Event(replica: replica, seq: UInt64(seq), stamp: stamp, action: action)
        epoch = try fields.epoch("epoch")
    }
}
