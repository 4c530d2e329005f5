import CommandLineKit

/// How long ago something was, for people.
package enum AgoText {
    /// `just now`, `40s ago`, `3m ago`, `2h5m ago`, `3 days ago`.
    package static func text(milliseconds: Int64) -> String {
        milliseconds < 1000 ? "just now" : "\(length(milliseconds: milliseconds)) ago"
    }

    /// `40s`, `3m`, `2h5m`, `3 days`: what is finer than that tells nothing.
    static func length(milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        switch seconds {
        case ..<60: return DurationText.text(.seconds(seconds))
        case ..<172_800: return DurationText.text(.seconds(seconds / 60 * 60))
        default: return "\(seconds / 86_400) days"
        }
    }
}
