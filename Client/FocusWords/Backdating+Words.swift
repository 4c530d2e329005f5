package import FocusCore
import FocusDevice

extension Performed {
    /// Since when a press counts that was said to have happened longer ago, and why not since then, as a sentence; nil
    /// where it does.
    package var backdatingSentence: String? { backdating?.sentence("counts", now: now) }
}

extension Performed.Backdating {
    /// From when it counts, or would count, and why not since longer ago; nil where it does.
    ///
    /// - Parameters:
    ///   - verb: "counts", or whatever it would do.
    ///   - now: In shared time.
    package func sentence(_ verb: String, now: SharedInstant) -> String? {
        guard let obstacle else { return nil }
        return "It \(verb) from \(AgoText.text(now - effective)): \(obstacle.words)."
    }
}

extension Performed.Backdating.Obstacle {
    fileprivate var words: String {
        switch self {
        case .workLength: "a start reaches back one work phase at most"
        case .ending: "not before the end of a session that was left alone"
        case .press(.adopt, let name, _): "not before \(name ?? "this laptop") made the session everyone's"
        case .press(let action, let name, let isAside):
            "not before the \(action.words) pressed on \(name ?? "this laptop")"
                + (isAside ? ", in a session of its own" : "")
        }
    }
}
