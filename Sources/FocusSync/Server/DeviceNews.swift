import FocusCore

/// What a connection's client is to be told of the group's devices once it takes more: the last of each device.
struct DeviceNews {
    private var revoked = OrderedKeys<Digest>()
    /// The devices in `presence`.
    private var changed = OrderedKeys<Digest>()
    private var presence: [Digest: Presence] = [:]

    /// How many pieces of news there are.
    var count: Int { revoked.count + changed.count }

    mutating func note(_ presence: Presence) {
        changed.append(presence.device)
        self.presence[presence.device] = presence
    }

    mutating func note(revoked device: Digest) { revoked.append(device) }

    /// What is to be said first, which is then done with; nil where there is nothing.
    mutating func next() -> Message? {
        if let device = revoked.first {
            revoked.remove(device)
            return .revoked(device)
        }
        let devices = changed.prefix(Limits.presencePiece)
        guard !devices.isEmpty else { return nil }
        return .presence(
            devices.compactMap { device in
                changed.remove(device)
                return presence.removeValue(forKey: device)
            })
    }
}
