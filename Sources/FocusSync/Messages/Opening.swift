package import FocusCore

/// The client's first message.
package struct Hello: Hashable, Sendable {
    /// What the connection is for. A newer client may have purposes that aren't named here: hello keeps its layout in
    /// every version of the protocol, but not what may stand in it.
    package struct Purpose: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let sync = Purpose(rawValue: 0)
        /// An `enrol` follows, and the welcome comes after it.
        package static let enrol = Purpose(rawValue: 1)
    }

    /// The protocol versions that the client speaks, ascending.
    package var versions: [ProtocolVersion]
    package var purpose: Purpose
    /// The client's steady clock as it sends, in microseconds.
    package var sent: Int64
    /// The client program's name and version, for people: `focus 1.2`.
    package var program: String

    package init(versions: [ProtocolVersion], purpose: Purpose, sent: Int64, program: String) {
        self.versions = versions
        self.purpose = purpose
        self.sent = sent
        self.program = program
    }
}

/// The server's first message, unless that is an `error`.
package struct Greeting: Hashable, Sendable {
    /// The protocol versions that the server speaks, ascending.
    package var versions: [ProtocolVersion]
    /// The one that holds from here on.
    package var chosen: ProtocolVersion
    /// The answer to the hello's clock.
    package var clock: ClockAnswer
    /// The server program's name and version, for people.
    package var program: String

    package init(
        versions: [ProtocolVersion], chosen: ProtocolVersion, clock: ClockAnswer, program: String
    ) {
        self.versions = versions
        self.chosen = chosen
        self.clock = clock
        self.program = program
    }
}

/// Three of a clock sample's four instants; the fourth is when the answer arrives.
package struct ClockAnswer: Hashable, Sendable {
    /// The server's shared clock when the question came and when the answer went, in microseconds since the
    /// Unix epoch.
    package struct Served: Hashable, Sendable {
        package let received: Int64
        package let sent: Int64

        package init(received: Int64, sent: Int64) {
            self.received = received
            self.sent = sent
        }
    }

    /// The client's steady clock as it asked, in microseconds.
    package let asked: Int64
    /// Nil where the server isn't sure of its clock.
    package let served: Served?

    package init(asked: Int64, served: Served?) {
        self.asked = asked
        self.served = served
    }
}

/// A device asks to be let in, once, with an invite's token.
package struct Enrol: Hashable, Sendable {
    /// What the invite is used for.
    package enum Kind: Hashable, Sendable {
        /// To join the group that the invite was made in.
        case join
        /// To bring a group, with its first epoch, to this server.
        case bring(GroupID, EpochID)
    }

    package var token: [UInt8]
    package var kind: Kind

    package init(token: [UInt8], kind: Kind) {
        self.token = token
        self.kind = kind
    }
}

/// The device is in.
package struct Enrolled: Hashable, Sendable {
    package var group: GroupID
    /// The group's key, wrapped under the invite's wrapping key; empty where the device brought the group.
    package var bundle: [UInt8]

    package init(group: GroupID, bundle: [UInt8]) {
        self.group = group
        self.bundle = bundle
    }
}

/// What the server has of the group, at the instant from which on every commit is pushed.
package struct Welcome: Hashable, Sendable {
    package var group: GroupID
    package var vector: VersionVector
    /// The greatest stamp in the server's log of the group.
    package var latest: Stamp
    package var roster: [RosterEntry]
    /// The epochs of which the server has a record with a body.
    package var epochs: [EpochID]
    package var presence: [Presence]
    /// The key that the server will show from some day on, where it is about to change it.
    package var nextServerKey: Digest?

    package init(
        group: GroupID, vector: VersionVector, latest: Stamp, roster: [RosterEntry], epochs: [EpochID],
        presence: [Presence], nextServerKey: Digest?
    ) {
        self.group = group
        self.vector = vector
        self.latest = latest
        self.roster = roster
        self.epochs = epochs
        self.presence = presence
        self.nextServerKey = nextServerKey
    }
}

/// What the client has: the server sends what lies beyond.
package struct Have: Hashable, Sendable {
    package var vector: VersionVector
    /// The epochs of which the client has a record with a body.
    package var epochs: [EpochID]

    package init(vector: VersionVector, epochs: [EpochID]) {
        self.vector = vector
        self.epochs = epochs
    }
}

/// The answer to one upload, sent once what it covers is durable.
package struct Ack: Hashable, Sendable {
    package var replica: ReplicaID
    /// The server's head of the replica now.
    package var head: Head
    /// Why the server stopped before the upload's end, where it did.
    package var stop: Stop?

    package init(replica: ReplicaID, head: Head, stop: Stop?) {
        self.replica = replica
        self.head = head
        self.stop = stop
    }

    /// Why a replica's events were not taken.
    package struct Stop: Hashable, Sendable {
        package var code: RefusalCode
        /// When to try again, in milliseconds from now; nil where the server names no time.
        package var after: UInt32?

        package init(code: RefusalCode, after: UInt32? = nil) {
            self.code = code
            self.after = after
        }
    }
}
