/// A wrapper for a program: a chain of programs. Each changes one thing and then executes the next one, so
/// that the process stays the same.
package struct ProgramWrapper {
    /// The wrapping programs with their arguments, in order.
    package var programs: [String]

    package init(_ programs: [String] = []) { self.programs = programs }
}
