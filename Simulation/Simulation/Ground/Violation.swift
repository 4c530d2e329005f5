/// Something that must never be, and was.
package struct Violation: Error, Hashable, CustomStringConvertible {
    /// Which rule was broken, the same words for the same rule.
    package let rule: String
    /// Where and how.
    package let details: String
    /// When, in microseconds since the run began.
    package let time: Int64

    package var description: String { "\(rule) (after \(time / 1_000_000) s): \(details)" }
}
