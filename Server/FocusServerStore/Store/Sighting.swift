/// What was last heard of a device. Instants are milliseconds since the Unix epoch.
package struct Sighting: Hashable, Sendable {
    /// When that was.
    package var time: Int64
    /// Since when it is connected; nil where it isn't.
    package var connectedSince: Int64?
    /// The program that it said hello with; nil leaves it as it was.
    package var program: String?

    /// What was heard at `time`.
    package init(time: Int64, connectedSince: Int64? = nil, program: String? = nil) {
        self.time = time
        self.connectedSince = connectedSince
        self.program = program
    }
}
