package import FocusCore

extension ShownTimer {
    /// Why a press wasn't carried out that may have been meant for what was shown before, as a sentence.
    package var changeSentence: String {
        "The timer changed just now: \(words). Press again if you mean that."
    }

    private var words: String {
        switch self {
        case .stopped: "the session has ended"
        case .running(_, let ordinal): "\(ShownTimer.phase(ordinal)) is running"
        case .paused(_, let ordinal): "\(ShownTimer.phase(ordinal)) is paused"
        }
    }

    /// Work and breaks take turns, work first.
    private static func phase(_ ordinal: Int64) -> String { ordinal.isMultiple(of: 2) ? "work" : "a break" }
}
