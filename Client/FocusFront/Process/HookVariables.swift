import CommandLineKit
package import FocusCore
import FocusText

extension Happening {
    /// The environment variables for the hook of this happening (`focus-hooks`(7)). Characters of names and
    /// labels that would garble the text around them are replaced (`TerminalText.data`).
    ///
    /// - Parameters:
    ///   - device: The name of this laptop.
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
            "FOCUS_OVERTIME": "\(shown.overtime?.inSeconds ?? 0)",
            "FOCUS_DEVICE": presser,
            "FOCUS_THIS_DEVICE": device,
            "FOCUS_MESSAGE": message,
            "FOCUS_TIME": InstantText.text(now),
        ].mapValues { TerminalText.data($0.replacing("\0", with: "")) }
    }
}
