package import FocusCore
import FocusStore

extension Device {
    /// Writes down who is shut out of the group, or taken back: durable here when this returns, whatever a server says.
    package func rule(_ actions: [Action]) throws {
        guard !actions.isEmpty else { return }
        _ = try store.author(now: now()) { authoring in
            try authoring.introduceFreshReplica()
            try authoring.write(actions)
        }
    }

    /// Writes down that this device leaves the group, once.
    package func ruleItselfOut() throws {
        guard let key = try store.deviceKey() else { return }
        if try store.state().rulings[key]?.isRevoked != true { try rule([.revoke(key)]) }
    }
}
