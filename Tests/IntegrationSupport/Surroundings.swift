/// What a program is run under: programs that each make one thing different and then become the next one, so that
/// the process stays the same.
package struct Surroundings {
    /// These programs and their words, in order.
    package var wrapper: [String]

    package init(_ wrapper: [String] = []) { self.wrapper = wrapper }
}
