package import FocusContact
import FocusStore

extension AgentEvent {
    /// The event as a line, without its line break. It has no capital and no full stop.
    package var line: String {
        switch self {
        case .stopping: "stopping"
        case .failed(let error): "error: \(error.description)"
        case .woke: "woke"
        case .connected: "connected"
        case .offline(let end): "offline: \(end.explanation)"
        }
    }
}
