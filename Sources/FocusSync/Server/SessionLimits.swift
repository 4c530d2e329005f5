/// How long things may take on a connection, and how much may come at once. As it is made, what docs/protocol.md says; a
/// server's operator may set it.
package struct SessionLimits: Hashable, Sendable {
    /// How long a device may take to say hello, and an unknown one to enrol.
    package var opening = Limits.opening
    /// After so long without a word the connection is taken for dead.
    package var silence = Limits.clientSilence
    /// The longest frame of a device that is known (type and body), in bytes.
    package var frame = Limits.frame
    /// The longest frame before the device is known, in bytes.
    package var frameBeforeKnown = Limits.frameBeforeKnown

    /// How many pings are answered in `Limits.pingWindow`; no setting.
    package var pings = Limits.pings

    /// What docs/protocol.md says of each limit.
    package init() {}
}
