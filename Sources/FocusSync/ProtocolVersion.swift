/// A version of the protocol. There is one so far.
package struct ProtocolVersion: RawRepresentable, Hashable, Comparable, Sendable {
    /// The version's number in hello and greeting. Versions are ordered by it.
    package let rawValue: UInt16

    /// Creates the version with this number, whether this program speaks it or not.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The version that docs/protocol.md describes.
    package static let one = ProtocolVersion(rawValue: 1)

    /// The application protocol that both sides have to select in TLS, in every version
    /// (docs/protocol.md, "Transport").
    package static let applicationProtocol = "focus/1"

    /// The versions that this program speaks, ascending.
    package static let spoken: [ProtocolVersion] = [.one]

    /// Returns the greatest version that both sides speak, or nil if there is none.
    package static func common(_ mine: [ProtocolVersion], _ theirs: [ProtocolVersion]) -> ProtocolVersion? {
        mine.filter(theirs.contains).max()
    }

    package static func < (left: ProtocolVersion, right: ProtocolVersion) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The error of a client and a server without a common protocol version, as the client sees it.
package struct VersionMismatch: Error, Hashable, Sendable {
    /// The side that has to be upgraded.
    package enum Side: Hashable, Sendable {
        case client, server
    }

    /// The versions that the client speaks, ascending.
    package let client: [ProtocolVersion]
    /// The versions that the server speaks, ascending, from its refusal; empty if it named none.
    package let server: [ProtocolVersion]

    /// Creates the mismatch of a client and a server that speak these versions.
    package init(client: [ProtocolVersion], server: [ProtocolVersion]) {
        self.client = client
        self.server = server
    }

    /// The side to upgrade: its newest version is the lower one.
    package var upgrade: Side {
        switch (client.max(), server.max()) {
        case (let client?, let server?): client < server ? .client : .server
        case (nil, _): .client
        case (_, nil): .server
        }
    }
}
