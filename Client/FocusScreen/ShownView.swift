import CursesKit
import Observation

/// What the full-screen view draws from beside the model, and whose changes have it drawn anew.
@Observable final class ShownView {
    var state: ViewState
    var size: TerminalSize
    /// Counts minutes, for what tells how long ago something was.
    var minutes = 0

    init(_ state: ViewState, _ size: TerminalSize) {
        self.state = state
        self.size = size
    }
}
