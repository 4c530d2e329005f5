/// What was last heard of a device. Instants are milliseconds since the Unix epoch.
package struct Sighting: Hashable, Sendable {
    /// When that was.
    var time: Int64
    /// Since when it is connected; nil where it isn't.
    var connectedSince: Int64?
    /// The program that it said hello with; nil leaves it as it was.
    var program: String?
}
