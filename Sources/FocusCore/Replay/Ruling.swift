/// What the log says last of whether the device of a key is shut out of the group.
package struct Ruling: Hashable, Sendable {
    package let isRevoked: Bool
    /// The event that says so: who wrote it, and when.
    package let position: Position
}
