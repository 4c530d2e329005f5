package import FocusCore
import FocusText

/// A click on a block of i3blocks: a line on standard input with all of the block's variables, as JSON.
package enum BarClick: Int, Hashable, Sendable {
    case left = 1
    case middle = 2
    case right = 3

    /// The click that a line tells of; nil where it tells of another button, or of none.
    package init?(_ line: some Sequence<UInt8>) {
        guard let json = try? JSON(parsing: line) else { return nil }
        switch json["button"] {
        case .number(let number), .string(let number):
            guard let button = Int(number), let click = BarClick(rawValue: button) else { return nil }
            self = click
        default: return nil
        }
    }

    /// What it asks for.
    package var interaction: Interaction {
        switch self {
        case .left: .toggle
        case .middle: .stop
        case .right: .skip
        }
    }
}
