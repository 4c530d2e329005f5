/// The two words of a setting that is either so or so.
package struct SwitchWords: Hashable, Sendable {
    /// What it is called where it is so.
    package let on: String
    let off: String

    /// The words of most.
    package static let onOff = SwitchWords(on: "on", off: "off")

    /// As people read it.
    package func text(_ isOn: Bool) -> String { isOn ? on : off }

    /// Which of the two `text` says; nil where it says neither. As on and off go 1 and 0 too, as JSON has them.
    package func isOn(_ text: String) -> Bool? {
        switch text {
        case on: true
        case off: false
        case "1" where self == .onOff: true
        case "0" where self == .onOff: false
        default: nil
        }
    }

    /// The words that can be chosen.
    package var all: [String] { [on, off] }

    /// Which values there are, to be read after "is".
    package var range: String { "\(on) or \(off)" }
}
