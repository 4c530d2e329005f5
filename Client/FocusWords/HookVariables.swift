import CommandLineKit
package import FocusCore
import FocusText

extension Happening {
    /// What its hook finds in its environment (`focus-hooks`(7)), without what would garble text around names and labels.
    ///
    /// - Parameters:
    ///   - device: What this laptop is called.
    ///   - now: The present instant.
    package func variables(device: String, at now: SharedInstant) -> [String: String] {
        let shown = Presentation(timer)
        let presser =
            switch cause {
            case .time: ""
            case .own: device
            case .other(let name): name
            }
        return [
            "FOCUS_EVENT": kind.rawValue,
            "FOCUS_STATUS": timer.statusName,
            "FOCUS_ACTIVITY": activity.rawValue,
            "FOCUS_LABEL": shown.label,
            "FOCUS_REMAINING": "\(shown.secondsLeft)",
            "FOCUS_DEVICE": presser,
            "FOCUS_THIS_DEVICE": device,
            "FOCUS_MESSAGE": message,
            "FOCUS_TIME": InstantText.text(now),
        ].mapValues { TerminalText.data($0.replacing("\0", with: "")) }
    }
}
