package import FocusCore
package import FocusStore
package import FocusSync

/// The device's knowledge of its server. The process that holds the connection records it, and all front ends
/// read it.
extension Device {
    /// Records a session's estimate of the server's time. Does nothing if the estimate makes no sense.
    package func record(_ estimate: ClockEstimate) throws(StoreError) {
        try store.atomically { () throws(StoreError) in
            guard let sample = try clock().sample(of: estimate) else { return }
            try store.setValue(sample.encoded(), for: .clock)
        }
    }

    /// Records that the server was heard just now.
    package func recordContact() throws(StoreError) {
        var writer = ByteWriter()
        writer.moment(Moment(try clock(), clocks))
        try store.setValue(writer.bytes, for: .lastSync)
    }

    /// Records the state of the connection. To be called at each change, and often enough that the record
    /// stays valid (`ConnectionState.validity`).
    package func record(_ link: ConnectionState) throws(StoreError) {
        try store.setValue(link.encoded(noted: Moment(try clock(), clocks)), for: .link)
    }

    /// Returns the state of the connection: offline if there is no valid record. No connection outlives a boot.
    package func link() throws(StoreError) -> ConnectionState {
        let now = Moment(try clock(), clocks)
        guard let bytes = try store.value(.link), let known = try? ConnectionState.decode(bytes),
            known.noted.boot == now.boot, let age = known.noted.age(at: now), age < ConnectionState.validity
        else { return ConnectionState(.offline) }
        return known.link
    }

    /// Records an obstacle between the device and its server. An obstacle that needs a person stays until the
    /// server is reached.
    ///
    /// - Returns: Whether the obstacle is new.
    @discardableResult
    package func record(_ obstacle: ServerObstacle) throws(StoreError) -> Bool {
        let known = try self.obstacle()
        guard try store.group() != nil, obstacle != known, obstacle.needsPerson || known?.needsPerson != true
        else { return false }
        try store.setValue(
            Array("\(obstacle.rawValue)\n".utf8) + (store.value(.serverKey) ?? []), for: .obstacle)
        return true
    }

    /// Returns the obstacle between the device and its server, or nil if none is known. An obstacle recorded
    /// for a former server doesn't count.
    package func obstacle() throws(StoreError) -> ServerObstacle? {
        guard let bytes = try store.value(.obstacle), let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            try store.value(.serverKey) ?? [] == Array(bytes[(end + 1)...])
        else { return nil }
        return ServerObstacle(rawValue: String(decoding: bytes[..<end], as: UTF8.self))
    }

    /// Returns why the connected server accepts none of the pending events. Returns nil if it accepts them,
    /// if none are pending, or if the device isn't connected.
    package func pendingRefusal() throws(StoreError) -> RefusalCode? {
        guard let code = try store.value(.stop)?.first, try link().state == .online,
            try store.pendingCount() > 0
        else { return nil }
        return RefusalCode(rawValue: code)
    }

    /// Records that an agent begins to connect. Forgets the obstacle of an earlier attempt, unless it needs a
    /// person.
    package func recordStart() throws(StoreError) {
        guard try store.group() != nil else { return }
        if try obstacle()?.needsPerson == false { try store.setText(nil, for: .obstacle) }
        try record(ConnectionState(.connecting))
    }

    /// Whether the server that the device syncs with has revoked it.
    package func isRevoked() throws(StoreError) -> Bool { try obstacle() == .revoked }

    /// Returns when the server was last heard, or nil if it never was.
    package func lastContact() throws(StoreError) -> Moment? {
        guard let bytes = try store.value(.lastSync) else { return nil }
        var reader = ByteReader(bytes)
        return try? reader.moment()
    }

    /// A server that is silent for this long counts as out of reach. The device asks it more often: every 20
    /// seconds (docs/protocol.md).
    static let contactTimeout = Duration.seconds(30)

    /// Whether a session that begins now begins offline (docs/timer-rules.md §1). That is so if the device is
    /// in a group and isn't connected, or hasn't heard its server for 30 seconds. In no group there is nobody
    /// to be cut off from.
    package func isOffline(by clock: SharedClock) throws(StoreError) -> Bool {
        guard try store.group() != nil else { return false }
        guard try link().state == .online else { return true }
        guard let age = try lastContact()?.age(at: Moment(clock, clocks)) else { return true }
        return age >= Device.contactTimeout
    }
}

/// The state of the connection when the agent last recorded it. Other processes show this.
package struct ConnectionState: Hashable, Sendable {
    /// Whether the agent is connected, is connecting, or is offline.
    package var state: GroupStatus.Connection
    /// The connected devices of the group, by the hashes of their public keys.
    package var online: [Digest]

    /// A link in this state. By default, no device is connected.
    package init(_ state: GroupStatus.Connection, online: [Digest] = []) {
        self.state = state
        self.online = online
    }

    /// The time for which a record is valid. A running agent replaces it earlier.
    package static let validity = Duration.seconds(90)

    /// Returns the link as bytes, with the time at which it was recorded.
    func encoded(noted: Moment) -> [UInt8] {
        var writer = ByteWriter()
        writer.moment(noted)
        writer.string(state.rawValue)
        writer.varint(UInt64(online.count))
        for key in online { writer.string(key.hexadecimal) }
        return writer.bytes
    }

    /// Decodes a link and the time at which it was recorded. Throws if `bytes` hold none.
    static func decode(_ bytes: [UInt8]) throws(ByteReader.Failure) -> (link: ConnectionState, noted: Moment)
    {
        var reader = ByteReader(bytes)
        let noted = try reader.moment()
        guard let state = GroupStatus.Connection(rawValue: try reader.string()) else { throw .invalidValue }
        var link = ConnectionState(state)
        for _ in 0..<(try reader.varint()) {
            guard let key = Digest(hexadecimal: try reader.string()) else { throw .invalidValue }
            link.online.append(key)
        }
        try reader.end()
        return (link, noted)
    }
}
