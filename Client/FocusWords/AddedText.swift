import CommandLineKit
package import FocusCore

extension Presentation {
    /// By how much the phase was lengthened or shortened, in whole seconds and with its sign: `+5m`, `-1m30s`; nil
    /// where it is as long as it was to be (docs/timer-rules.md §7).
    package var addedText: String? {
        let seconds = added.inSeconds
        guard seconds != 0 else { return nil }
        return (seconds > 0 ? "+" : "") + DurationText.text(.seconds(seconds))
    }

    /// The time left, and beside it what was added: `24:13 +5m`.
    package var clockWithAdded: String { addedText.map { "\(clock) \($0)" } ?? clock }
}
