package import FocusCore

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
