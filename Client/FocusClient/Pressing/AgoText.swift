import CommandLineKit

/// How long ago something was, for people.
enum AgoText {
    /// `just now`, `40s ago`, `3m ago`, `2h5m ago`, `3 days ago`: what is finer than that tells nothing.
    static func text(milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        switch seconds {
        case 0: return "just now"
        case ..<60: return "\(DurationText.text(.seconds(seconds))) ago"
        case ..<172_800: return "\(DurationText.text(.seconds(seconds / 60 * 60))) ago"
        default: return "\(seconds / 86_400) days ago"
        }
    }
}
