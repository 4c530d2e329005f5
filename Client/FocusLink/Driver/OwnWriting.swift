package import FocusCore

/// When a device does by itself what docs/timer-rules.md §5 says.
package enum OwnWriting: Hashable, Sendable {
    /// It has caught up with its server.
    case returning
    /// Another's start has arrived, beside which a session of its own stands.
    case beside
    /// The machine was asleep, and the server can't be asked who was there.
    case waking
}

/// Whoever is told what a device writes by itself.
package protocol OwnWritingObserver: AnyObject {
    /// The device has done what it does by itself on such an occasion, at `now`: it wrote
    /// these events, or none. What it says of that comes next.
    func wrote(_ written: [Event], on occasion: OwnWriting, at now: SharedInstant)
}
