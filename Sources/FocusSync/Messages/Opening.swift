package import FocusCore

/// The client's first message.
package struct Hello: Hashable, Sendable {
    /// What the connection is for. A newer client may have purposes that aren't named here: hello keeps its layout in
    /// every version of the protocol, but not what may stand in it.
    package struct Purpose: RawRepresentable, Hashable, Sendable {
        /// The byte that stands for it on the wire.
        package let rawValue: UInt8

        /// The purpose with this byte, whether it is named here or not.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The device is known to the server: the welcome follows the greeting.
        package static let sync = Purpose(rawValue: 0)
        /// An `enrol` follows, and the welcome comes after it.
        package static let enrol = Purpose(rawValue: 1)
    }

    /// The protocol versions that the client speaks, ascending.
    package var versions: [ProtocolVersion]
    /// What the connection is for.
    package var purpose: Purpose
    /// The client's steady clock as it sends.
    package var sent: SteadyInstant
    /// The client program's name and version, for people: `focus 1.2`.
    package var program: String

    /// A hello that is about to be sent.
    ///
    /// - Parameter sent: the client's steady clock as it sends.
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
    /// The one that holds from here on.
    package var chosen: ProtocolVersion
    /// The answer to the hello's clock.
    package var clock: ClockAnswer
    /// The server program's name and version, for people.
    package var program: String

    /// A greeting that answers a hello.
    ///
    /// - Parameter chosen: the greatest version that both sides speak.
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
    /// What the server's clock showed when the question came and when the answer went.
    package struct Served: Hashable, Sendable {
        /// When the question came.
        package let received: SharedReading
        /// When the answer went.
        package let sent: SharedReading

        /// What the server's clock showed.
        package init(received: SharedReading, sent: SharedReading) {
            self.received = received
            self.sent = sent
        }
    }

    /// The client's steady clock as it asked.
    package let asked: SteadyInstant
    /// Nil where the server isn't sure of its clock.
    package let served: Served?

    /// The answer to a hello or a ping.
    ///
    /// - Parameters:
    ///   - asked: the `sent` of what is answered, repeated: the client's steady clock.
    ///   - served: nil where the server isn't sure of its clock.
    package init(asked: SteadyInstant, served: Served?) {
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

    /// What the invite's secret gives (docs/protocol.md, "Invites"): 32 bytes; on the wire at most `Limits.token`.
    package var token: [UInt8]
    /// What the invite is used for. An invite of the other kind is refused as `RefusalCode.notAllowed`.
    package var kind: Kind

    /// A request to be let in with this token.
    package init(token: [UInt8], kind: Kind) {
        self.token = token
        self.kind = kind
    }
}

/// The device is in.
package struct Enrolled: Hashable, Sendable {
    /// The group that the device belongs to from now on.
    package var group: GroupID
    /// The group's key, wrapped under the invite's wrapping key; empty where the device brought the group.
    package var bundle: [UInt8]

    /// The answer to an `enrol` with an open invite.
    package init(group: GroupID, bundle: [UInt8]) {
        self.group = group
        self.bundle = bundle
    }
}

/// What the server has of the group, at the instant from which on every commit is pushed.
package struct Welcome: Hashable, Sendable {
    /// The group that the server lists the device in. A client of another group closes the connection.
    package var group: GroupID
    /// The server's head of each replica; of more than a message can name, those with the greatest ids are left out.
    package var vector: VersionVector
    /// The greatest stamp in the server's log of the group.
    package var latest: Stamp
    /// The devices that the server lists in the group, the revoked included.
    package var roster: [RosterEntry]
    /// The epochs of which the server has a record with a body.
    package var epochs: [EpochID]
    /// Which devices of the group are connected, and when each was last.
    package var presence: [Presence]
    /// The key that the server will show from some day on, where it is about to change it.
    package var nextServerKey: Digest?

    /// A welcome as the server says it.
    ///
    /// - Parameter nextServerKey: nil where the server isn't about to change its key.
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
    /// The client's head of each replica; of more than a message can name, those with the greatest ids are left out.
    package var vector: VersionVector
    /// The epochs of which the client has a record with a body.
    package var epochs: [EpochID]

    /// The answer to a welcome; of a client with an empty log, where nothing is given.
    package init(vector: VersionVector = VersionVector(), epochs: [EpochID] = []) {
        self.vector = vector
        self.epochs = epochs
    }
}

/// The answer to one upload, sent once what it covers is durable.
package struct Ack: Hashable, Sendable {
    /// The replica whose events were uploaded.
    package var replica: ReplicaID
    /// The server's head of the replica now.
    package var head: Head
    /// Why the server stopped before the upload's end, where it did.
    package var stop: Stop?

    /// An answer to an upload.
    ///
    /// - Parameters:
    ///   - head: the server's head of the replica now.
    ///   - stop: nil where the upload's end was reached. Only then does the head acknowledge by itself.
    package init(replica: ReplicaID, head: Head, stop: Stop?) {
        self.replica = replica
        self.head = head
        self.stop = stop
    }

    /// Why a replica's events were not taken.
    package struct Stop: Hashable, Sendable {
        /// What was in the way of the first event that was not taken.
        package var code: RefusalCode
        /// In how long to try again; nil where the server names no time.
        package var after: Duration?

        /// A reason to stop.
        ///
        /// - Parameter after: in how long to try again; nil where the server names no time.
        package init(code: RefusalCode, after: Duration? = nil) {
            self.code = code
            self.after = after
        }
    }
}
