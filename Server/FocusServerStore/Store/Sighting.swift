package import FocusCore

/// What was last heard of a device.
package struct Sighting: Hashable, Sendable {
    /// When that was.
    package var time: SharedInstant
    /// Since when it is connected; nil where it isn't.
    package var connectedSince: SharedInstant?
    /// The program that it said hello with; nil leaves it as it was.
    package var program: String?

    /// What was heard at `time`.
    package init(time: SharedInstant, connectedSince: SharedInstant? = nil, program: String? = nil) {
        self.time = time
        self.connectedSince = connectedSince
        self.program = program
    }
}
