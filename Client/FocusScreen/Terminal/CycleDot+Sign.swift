import FocusCore

extension CycleDot {
    /// The dot as a character.
    package var sign: String {
        switch self {
        case .done: "●"
        case .present: "◉"
        case .ahead: "○"
        }
    }
}
