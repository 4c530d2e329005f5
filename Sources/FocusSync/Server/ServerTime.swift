package import FocusCore

/// The server's two clocks, read at once.
package struct ServerTime: Hashable, Sendable {
    /// A clock that never jumps.
    package let steady: SteadyInstant
    /// Shared time in microseconds since the Unix epoch; nil where the server isn't sure of its clock.
    package let shared: Int64?

    /// Both clocks as they were read.
    ///
    /// - Parameters:
    ///   - steady: from any beginning.
    ///   - shared: in microseconds since the Unix epoch; nil where the server isn't sure of its clock.
    package init(steady: SteadyInstant, shared: Int64?) {
        self.steady = steady
        self.shared = shared
    }
}
