/// A version of the protocol. There is one so far.
package struct ProtocolVersion: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let one = ProtocolVersion(rawValue: 1)

    /// The application protocol that both sides have to agree on in TLS, whatever their versions (docs/protocol.md,
    /// "Transport").
    package static let applicationProtocol = "focus/1"

    /// The versions that this program speaks, ascending.
    package static let spoken: [ProtocolVersion] = [.one]

    /// The greatest version that both sides speak, or nil where there is none.
    package static func common(_ mine: [ProtocolVersion], _ theirs: [ProtocolVersion]) -> ProtocolVersion? {
        mine.filter(theirs.contains).max()
    }

    package static func < (left: ProtocolVersion, right: ProtocolVersion) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Two sides without a common protocol version, as the client sees it.
package struct VersionMismatch: Error, Hashable, Sendable {
    /// The side that has to be upgraded.
    package enum Side: Hashable, Sendable {
        case client, server
    }

    package let client: [ProtocolVersion]
    package let server: [ProtocolVersion]

    package init(client: [ProtocolVersion], server: [ProtocolVersion]) {
        self.client = client
        self.server = server
    }

    /// The side whose newest version is the older one.
    package var upgrade: Side {
        switch (client.max(), server.max()) {
        case (let client?, let server?): client < server ? .client : .server
        case (nil, _): .client
        case (_, nil): .server
        }
    }
}
