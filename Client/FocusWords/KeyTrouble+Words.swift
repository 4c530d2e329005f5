package import FocusDevice

extension DeviceFailure.KeyTrouble {
    /// What is wrong with the key's file, which is at this path.
    package func sentence(_ path: String) -> String {
        switch self {
        case .gone: "\(path) is gone: this laptop can't prove who it is."
        case .another: "\(path) holds another key than the one that the group knows this laptop by."
        }
    }

    /// What mends it.
    package var remedy: String {
        let again = "Leave the group, which keeps a copy of the log, and join it again: focus leave"
        return switch self {
        case .gone: again
        case .another: "Put the right file back. \(again)"
        }
    }
}
