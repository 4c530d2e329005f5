package import FocusCore

/// A log that a test writes event by event, to tell a story.
///
/// Stories mostly begin at 0. If a replica has already written in the same millisecond, its next stamp gets a
/// greater counter.
package struct LogScript {
    package private(set) var events: [Event] = []
    private var last: [ReplicaID: Event] = [:]

    package init() {}

    /// Appends an event of `replica` with this time, which is `T` in docs/timer-rules.md.
    @discardableResult
    package mutating func add(_ action: Action, _ time: SharedInstant, by replica: ReplicaID = .a) -> Event {
        var stamp = Stamp(time: time, counter: 0) ?? .zero
        if let last = last[replica], stamp <= last.stamp {
            stamp = Stamp(rawValue: last.stamp.rawValue + 1)
        }
        let seq = (last[replica]?.id.seq ?? 0) + 1
        let event = Event(replica: replica, seq: seq, stamp: stamp, action: action)
        last[replica] = event
        events.append(event)
        return event
    }

    /// Appends a `start` and returns the run that it begins.
    @discardableResult
    package mutating func start(
        _ time: SharedInstant, by replica: ReplicaID = .a, label: String? = nil, after: RunID? = nil,
        offline: Bool = false, at: SharedInstant? = nil, length: Int64? = nil, begins: SharedInstant? = nil
    ) -> RunID {
        let start = Action.Start(
            label: label, after: after, offline: offline, at: at, length: length, begins: begins)
        return add(.start(start), time, by: replica).run
    }

    @discardableResult
    package mutating func pause(
        _ run: RunID, _ time: SharedInstant, by replica: ReplicaID = .a, at: SharedInstant? = nil
    ) -> Event {
        add(.pause(run, at: at), time, by: replica)
    }

    @discardableResult
    package mutating func resume(
        _ run: RunID, _ time: SharedInstant, by replica: ReplicaID = .a, at: SharedInstant? = nil
    ) -> Event {
        add(.resume(run, at: at), time, by: replica)
    }

    @discardableResult
    package mutating func stop(
        _ run: RunID, _ time: SharedInstant, by replica: ReplicaID = .a, at: SharedInstant? = nil
    ) -> Event {
        add(.stop(run, at: at), time, by: replica)
    }

    @discardableResult
    package mutating func skip(
        _ run: RunID, _ ordinal: Int64, _ time: SharedInstant, by replica: ReplicaID = .a,
        at: SharedInstant? = nil
    ) -> Event {
        add(.skip(run, ordinal: ordinal, at: at), time, by: replica)
    }

    @discardableResult
    package mutating func adjust(
        _ run: RunID, _ ordinal: Int64, seconds: Int64, _ time: SharedInstant, by replica: ReplicaID = .a,
        at: SharedInstant? = nil
    ) -> Event {
        add(.adjust(run, ordinal: ordinal, seconds: seconds, at: at), time, by: replica)
    }

    @discardableResult
    package mutating func label(
        _ run: RunID, _ text: String, _ time: SharedInstant, by replica: ReplicaID = .a,
        at: SharedInstant? = nil
    ) -> Event {
        add(.label(run, text: text, at: at), time, by: replica)
    }

    @discardableResult
    package mutating func set(
        _ key: String, _ value: Int64, _ time: SharedInstant, by replica: ReplicaID = .a
    ) -> Event {
        add(.set(key: key, value: value), time, by: replica)
    }

    @discardableResult
    package mutating func undo(_ event: Event, _ time: SharedInstant, by replica: ReplicaID = .a) -> Event {
        add(.undo(event.id), time, by: replica)
    }
}

extension Event {
    /// The run that the event begins, if it is a `start`.
    package var run: RunID { RunID(position) }
}

extension ReplicaID {
    package static let a = ReplicaID(rawValue: 0xA)
    package static let b = ReplicaID(rawValue: 0xB)
    package static let c = ReplicaID(rawValue: 0xC)
}

/// The instant `count` minutes after the epoch.
package func minutes(_ count: Int64) -> SharedInstant { SharedInstant(seconds: count * 60) }

/// A duration of `count` minutes.
package func minutes(_ count: Int64) -> Duration { .seconds(count * 60) }

/// The instant `count` seconds after the epoch.
package func seconds(_ count: Int64) -> SharedInstant { SharedInstant(seconds: count) }

/// A duration of `count` seconds.
package func seconds(_ count: Int64) -> Duration { .seconds(count) }
