import CommandLineKit
import FocusCore

/// How long ago something was, for people.
package enum AgoText {
    /// `just now`, `40s ago`, `3m ago`, `2h5m ago`, `3 days ago`.
    package static func text(_ length: Duration) -> String {
        length < .seconds(1) ? "just now" : "\(self.length(length)) ago"
    }

    /// `40s`, `3m`, `2h5m`, `3 days`: what is finer than that tells nothing.
    static func length(_ length: Duration) -> String {
        let seconds = max(0, length.inSeconds)
        switch seconds {
        case ..<60: return DurationText.text(.seconds(seconds))
        case ..<172_800: return DurationText.text(.seconds(seconds / 60 * 60))
        default: return "\(seconds / 86_400) days"
        }
    }
}
