package import FocusCore

/// The client's first message.
package struct Hello: Hashable, Sendable {
    /// The purpose of a connection. A newer client may send a purpose that isn't named here: the layout of
    /// hello is the same in every version of the protocol, but new values may be added.
    package struct Purpose: RawRepresentable, Hashable, Sendable {
        /// The purpose's byte on the wire.
        package let rawValue: UInt8

        /// Creates the purpose with this byte, whether it is named here or not.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// To sync, as a device that the server knows. The welcome follows the greeting.
        package static let sync = Purpose(rawValue: 0)
        /// To enrol. An `enrol` follows the greeting, and the welcome comes after it.
        package static let enrol = Purpose(rawValue: 1)
    }

    /// The protocol versions that the client speaks, ascending.
    package var versions: [ProtocolVersion]
    /// The purpose of the connection.
    package var purpose: Purpose
    /// The client's steady clock at sending.
    package var sent: SteadyInstant
    /// The client program's name and version, for people: `focus 1.2`.
    package var program: String

    /// Creates a hello.
    ///
    /// - Parameter sent: The client's steady clock at sending.
    package init(versions: [ProtocolVersion], purpose: Purpose, sent: SteadyInstant, program: String) {
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
    /// The version that both sides use from here on.
    package var chosen: ProtocolVersion
    /// The answer to the hello's clock.
    package var clock: ClockAnswer
    /// The server program's name and version, for people.
    package var program: String

    /// Creates a greeting that answers a hello.
    ///
    /// - Parameter chosen: The greatest version that both sides speak.
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
    /// The server's clock when the question came and when the answer was sent.
    package struct Served: Hashable, Sendable {
        /// The server's clock when the question came.
        package let received: SharedReading
        /// The server's clock when the answer was sent.
        package let sent: SharedReading

        /// Creates the two readings of the server's clock.
        package init(received: SharedReading, sent: SharedReading) {
            self.received = received
            self.sent = sent
        }
    }

    /// The client's steady clock when it asked.
    package let asked: SteadyInstant
    /// The readings of the server's clock; nil if the server isn't sure of it.
    package let served: Served?

    /// Creates the answer to a hello or a ping.
    ///
    /// - Parameters:
    ///   - asked: The `sent` of the hello or ping, repeated.
    ///   - served: The readings of the server's clock; nil if the server isn't sure of it.
    package init(asked: SteadyInstant, served: Served?) {
        self.asked = asked
        self.served = served
    }
}

/// A device's request to be let in, once, with an invite's token.
package struct Enrol: Hashable, Sendable {
    /// The use of the invite.
    package enum Kind: Hashable, Sendable {
        /// To join the group that the invite was made in.
        case join
        /// To bring a group, with its first epoch, to this server.
        case bring(GroupID, EpochID)
    }

    /// The token derived from the invite's secret (docs/protocol.md, "Invites"): 32 bytes. On the wire it may
    /// have up to `Limits.token`.
    package var token: [UInt8]
    /// The use of the invite. An invite of the other kind is refused as `RefusalCode.notAllowed`.
    package var kind: Kind

    /// Creates a request to be let in with this token.
    package init(token: [UInt8], kind: Kind) {
        self.token = token
        self.kind = kind
    }
}

/// The server's answer to a device that it let in.
package struct Enrolled: Hashable, Sendable {
    /// The group that the device belongs to from now on.
    package var group: GroupID
    /// The group's key, wrapped under the invite's wrapping key; empty if the device brought the group.
    package var bundle: [UInt8]

    /// Creates the answer to an `enrol` with an open invite.
    package init(group: GroupID, bundle: [UInt8]) {
        self.group = group
        self.bundle = bundle
    }
}

/// The server's state of the group. From the instant of the welcome on, the server pushes every commit.
package struct Welcome: Hashable, Sendable {
    /// The group that the server lists the device in. A client of another group closes the connection.
    package var group: GroupID
    /// The server's head of each replica. If there are more than a message can name, those with the greatest
    /// ids are left out.
    package var vector: VersionVector
    /// The greatest stamp in the server's log of the group.
    package var latest: Stamp
    /// The devices that the server lists in the group, the revoked included.
    package var roster: [RosterEntry]
    /// The epochs of which the server has a record with a body.
    package var epochs: [EpochID]
    /// The presence of the group's devices.
    package var presence: [Presence]
    /// The hash of the next key that the server has announced; nil if it has announced none.
    package var nextServerKey: Digest?
    /// The addresses that laptops are to use from now on, best first; empty if the server announces none. A
    /// client skips an address that it can't read.
    package var addresses: [String]

    /// Creates a welcome.
    ///
    /// - Parameters:
    ///   - nextServerKey: The hash of the next key that the server has announced; nil if none.
    ///   - addresses: The addresses that laptops are to use, at most `Limits.addresses`.
    package init(
        group: GroupID, vector: VersionVector, latest: Stamp, roster: [RosterEntry], epochs: [EpochID],
        presence: [Presence], nextServerKey: Digest?, addresses: [String] = []
    ) {
        self.group = group
        self.vector = vector
        self.latest = latest
        self.roster = roster
        self.epochs = epochs
        self.presence = presence
        self.nextServerKey = nextServerKey
        self.addresses = addresses
    }
}

/// The client's answer to the welcome: what it has. The server sends the rest.
package struct Have: Hashable, Sendable {
    /// The client's head of each replica. If there are more than a message can name, those with the greatest
    /// ids are left out.
    package var vector: VersionVector
    /// The epochs of which the client has a record with a body.
    package var epochs: [EpochID]

    /// Creates the answer to a welcome; by default that of a client with an empty log.
    package init(vector: VersionVector = VersionVector(), epochs: [EpochID] = []) {
        self.vector = vector
        self.epochs = epochs
    }
}

/// The answer to one upload, sent when the events that it acknowledges are durable.
package struct Ack: Hashable, Sendable {
    /// The replica of the uploaded events.
    package var replica: ReplicaID
    /// The server's head of the replica now.
    package var head: Head
    /// The reason why the server stopped before the upload's end; nil if it reached the end.
    package var stop: Stop?

    /// Creates an answer to an upload.
    ///
    /// - Parameters:
    ///   - head: The server's head of the replica now.
    ///   - stop: Nil if the upload's end was reached. Otherwise the head acknowledges nothing until the
    ///     client finds that its own chain there is equal.
    package init(replica: ReplicaID, head: Head, stop: Stop?) {
        self.replica = replica
        self.head = head
        self.stop = stop
    }

    /// The reason why a replica's events were not taken.
    package struct Stop: Hashable, Sendable {
        /// The reason why the first event that was not taken was refused.
        package var code: RefusalCode
        /// The time after which to try again; nil if the server names none.
        package var after: Duration?

        /// Creates a reason to stop.
        ///
        /// - Parameter after: The time after which to try again; nil if the server names none.
        package init(code: RefusalCode, after: Duration? = nil) {
            self.code = code
            self.after = after
        }
    }
}
