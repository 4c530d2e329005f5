/// A wrapper for a program: a chain of programs. Each changes one thing and then executes the next one, so
/// that the process stays the same.
package struct ProgramWrapper {
    /// The wrapping programs with their arguments, in order.
    package var wrapper: [String]

    package init(_ wrapper: [String] = []) { self.wrapper = wrapper }
}
