/// The server's two clocks, read at once.
package struct ServerTime: Hashable, Sendable {
    /// A clock that never jumps, in microseconds.
    package let steady: Int64
    /// Shared time in microseconds since the Unix epoch; nil where the server isn't sure of its clock.
    package let shared: Int64?

    /// Both clocks as they were read.
    ///
    /// - Parameters:
    ///   - steady: in microseconds, from any beginning.
    ///   - shared: in microseconds since the Unix epoch; nil where the server isn't sure of its clock.
    package init(steady: Int64, shared: Int64?) {
        self.steady = steady
        self.shared = shared
    }
}
