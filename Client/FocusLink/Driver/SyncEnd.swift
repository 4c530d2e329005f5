package import FocusDevice
package import FocusSync

/// Why a connection to the server is over.
package enum SyncEnd: Error, Hashable, Sendable {
    /// No address led to the server; what was wrong with the last one.
    case unreachable(String)
    /// The server there shows another key than the pinned one.
    case otherServer(String)
    /// The session ended.
    case closed(ClientClosing)
    /// The connection broke.
    case broken(String)
    /// Something is wrong on this device, which has to be mended there.
    case device(DeviceFailure)
    /// The device's own log or keys failed it otherwise.
    case failed(String)

    /// What an error on this device means for the connection.
    package init(failing error: any Error) {
        self = (error as? DeviceFailure).map { .device($0) } ?? .failed("\(error)")
    }
}

extension SyncEnd {
    /// Whether the server has shut the laptop out.
    var isRevocation: Bool {
        if case .closed(.refused(let refusal)) = self { refusal.code == .revoked } else { false }
    }

    /// For how long the server asked to be left alone: 10 minutes at most.
    package var patience: Duration {
        guard case .closed(.refused(let refusal)) = self, case .after(let wait) = refusal.retry
        else { return .zero }
        return min(wait, .seconds(600))
    }
}
