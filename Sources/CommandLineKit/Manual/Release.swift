/// What programs belong to, and when it was made.
package struct Release: Hashable, Sendable {
    /// The name and version, as `Lockstep 0.1.0`.
    package let name: String
    /// As `2025-11-20`.
    package let date: String

    /// A release of the programs that pages of the manual name at their foot.
    package init(name: String, date: String) {
        self.name = name
        self.date = date
    }
}
