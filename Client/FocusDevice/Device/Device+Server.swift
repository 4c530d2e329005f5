package import FocusCore
package import FocusSeal
package import FocusStore
package import FocusSync

/// What the device knows of its server. Whoever holds the connection notes it here, and all front ends read
/// it.
extension Device {
    /// Takes note of the device's public key: who it is.
    package func record(_ key: PublicKey) throws {
        let hash = try key.hash()
        if try store.deviceKey() != hash { try store.setDeviceKey(hash) }
        if try store.value(.publicKey) != key.bytes { try store.setValue(key.bytes, for: .publicKey) }
    }

    /// Takes note of what the server's clock says, as a session of this boot has found it.
    package func record(_ estimate: ClockEstimate) throws {
        try store.atomically {
            guard let sample = try clock().sample(of: estimate) else { return }
            try store.setValue(sample.encoded(), for: .clock)
        }
    }

    /// Takes note that the server was heard just now.
    package func recordHeard() throws(StoreError) {
        var writer = ByteWriter()
        writer.moment(Moment(try clock(), clocks))
        try store.setValue(writer.bytes, for: .lastSync)
    }

    /// Takes note of how the connection stands: at each change, and often enough that the note doesn't grow
    /// stale (`ServerLink.goodFor`).
    package func record(_ link: ServerLink) throws(StoreError) {
        try store.setValue(link.encoded(noted: Moment(try clock(), clocks)), for: .link)
    }

    /// How the connection stands; offline where nobody says.
    package func link() throws(StoreError) -> ServerLink {
        guard let bytes = try store.value(.link), let known = try? ServerLink.decode(bytes),
            let age = known.noted.age(at: Moment(try clock(), clocks)), age < ServerLink.goodFor
        else { return ServerLink(.offline) }
        return known.link
    }

    /// Records what keeps the device from its server. What a person has to mend stays until the server is reached.
    ///
    /// - Returns: whether it wasn't known before.
    @discardableResult
    package func record(_ obstacle: ServerObstacle) throws(StoreError) -> Bool {
        let known = try self.obstacle()
        guard try store.group() != nil, obstacle != known, obstacle.needsPerson || known?.needsPerson != true
        else { return false }
        try store.setValue(
            Array("\(obstacle.rawValue)\n".utf8) + (store.value(.serverKey) ?? []), for: .obstacle)
        return true
    }

    /// What keeps the device from its server; nil if nothing is known to. A server that it moves to has no part in that.
    package func obstacle() throws(StoreError) -> ServerObstacle? {
        guard let bytes = try store.value(.obstacle), let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            try store.value(.serverKey) ?? [] == Array(bytes[(end + 1)...])
        else { return nil }
        return ServerObstacle(rawValue: String(decoding: bytes[..<end], as: UTF8.self))
    }

    /// Why the server takes nothing of what waits here, though the device is connected to it; nil if it isn't, if nothing
    /// waits, or if nothing is known of that.
    package func stop() throws(StoreError) -> RefusalCode? {
        guard let code = try store.value(.stop)?.first, try link().state == .online,
            try store.pendingCount() > 0
        else { return nil }
        return RefusalCode(rawValue: code)
    }

    /// Records that an agent begins to connect: nothing is known of an earlier attempt but what a person has to mend.
    package func recordStart() throws(StoreError) {
        guard try store.group() != nil else { return }
        if try obstacle()?.needsPerson == false { try store.setText(nil, for: .obstacle) }
        try record(ServerLink(.connecting))
    }

    /// Whether the server that the device syncs with has shut it out.
    package func isRevoked() throws(StoreError) -> Bool { try obstacle() == .revoked }

    /// When the server was last heard; nil where it never was.
    package func lastHeard() throws(StoreError) -> Moment? {
        guard let bytes = try store.value(.lastSync) else { return nil }
        var reader = ByteReader(bytes)
        return try? reader.moment()
    }

    /// A server that was not heard for so long is not reached: the device asks it more often, every 20
    /// seconds (docs/protocol.md).
    static let silence = Duration.seconds(30)

    /// Whether a session begun now begins cut off from the others: the device is in a group, and has no connection to
    /// its server, or has not heard from it in the last 30 seconds (docs/timer-rules.md §1). Alone there is nobody to be
    /// cut off from.
    package func isOffline(by clock: SharedClock) throws(StoreError) -> Bool {
        guard try store.group() != nil else { return false }
        guard try link().state == .online else { return true }
        guard let age = try lastHeard()?.age(at: Moment(clock, clocks)) else { return true }
        return age >= Device.silence
    }
}

/// How the connection to the server stood when the agent last took note of it: what other processes show.
package struct ServerLink: Hashable, Sendable {
    /// Whether the agent is connected, tries to be, or neither.
    package var state: Sharing.Connection
    /// The group's devices that are connected, by the hashes of their public keys.
    package var online: [Digest]

    /// A link that stands so; nobody is connected where nothing is said.
    package init(_ state: Sharing.Connection, online: [Digest] = []) {
        self.state = state
        self.online = online
    }

    /// A note says nothing any more after so long: the agent that made it would have made
    /// another.
    package static let goodFor = Duration.seconds(90)

    /// The link as bytes, with when it was noted.
    func encoded(noted: Moment) -> [UInt8] {
        var writer = ByteWriter()
        writer.moment(noted)
        writer.string(state.rawValue)
        writer.varint(UInt64(online.count))
        for key in online { writer.string(key.hexadecimal) }
        return writer.bytes
    }

    /// The link that `bytes` hold, with when it was noted; throws where they are none.
    static func decode(_ bytes: [UInt8]) throws(ByteReader.Failure) -> (link: ServerLink, noted: Moment) {
        var reader = ByteReader(bytes)
        let noted = try reader.moment()
        guard let state = Sharing.Connection(rawValue: try reader.string()) else { throw .invalidValue }
        var link = ServerLink(state)
        for _ in 0..<(try reader.varint()) {
            guard let key = Digest(hexadecimal: try reader.string()) else { throw .invalidValue }
            link.online.append(key)
        }
        try reader.end()
        return (link, noted)
    }
}
