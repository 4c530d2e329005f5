package import FocusCore

/// The server's two clocks, read at once.
package struct ServerTime: Hashable, Sendable {
    /// A clock that never jumps.
    package let steady: SteadyInstant
    /// Nil where the server isn't sure of its clock.
    package let shared: SharedReading?

    /// Both clocks as they were read.
    ///
    /// - Parameters:
    ///   - steady: from any beginning.
    ///   - shared: nil where the server isn't sure of its clock.
    package init(steady: SteadyInstant, shared: SharedReading?) {
        self.steady = steady
        self.shared = shared
    }
}
