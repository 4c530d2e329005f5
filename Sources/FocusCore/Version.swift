/// The version that both programs report.
package enum Lockstep {
    /// The version of this source, by semantic versioning.
    package static let version = "0.1.0"

    /// The date of this version, for the manual.
    package static let date = "2026-11-21"
}
