/// A broken rule.
package struct Violation: Error, Hashable, CustomStringConvertible {
    /// The rule, always in the same words.
    package let rule: String
    /// The laptop, server or group that broke the rule, and the circumstances.
    package let details: String
    /// The time, in microseconds since the run began.
    package let time: Int64

    package var description: String { "\(rule) (after \(time / 1_000_000) s): \(details)" }
}
