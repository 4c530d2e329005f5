/// What both programs say of themselves.
package enum Lockstep {
    /// The version of this source, by semantic versioning.
    package static let version = "0.1.0"
}
