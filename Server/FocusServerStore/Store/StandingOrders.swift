package import FocusCore

/// What operators decided that a running server goes by, as the store has it: commands write it there, and the server
/// looks for it twice a second.
package struct StandingOrders: Hashable, Sendable {
    /// Grows with each change of devices, groups or keys.
    package var revision: Int64 = 0
    /// The hash of the key that the server announces, where it is about to change its own.
    package var nextKey: Digest?
    /// How often an operator accepted the machine's clock.
    package var clockAcceptances: Int64 = 0

    /// What nobody has decided anything about.
    package init() {}
}
