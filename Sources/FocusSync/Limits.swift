import FocusCore

/// The protocol's limits and intervals (docs/protocol.md).
package enum Limits {
    /// The longest frame once the device is known: its type and body, in bytes.
    package static let frame = 1 << 20
    /// The longest frame before the device is known, in bytes.
    package static let frameBeforeKnown = 4 << 10

    /// How many bytes of packed events the sessions ask the shell for at once.
    package static let read = 128 << 10
    /// The most bytes of packed events that fit into a frame beside the segment's header.
    package static let packed = frame - 64
    /// With so many questions about chains, replicas wanted anew, or requests about devices and epochs at the store,
    /// the server stops reading from the connection.
    package static let questions = 16
    /// How many bytes of uploads a client has under way before it waits for acknowledgements.
    package static let uploadWindow = 512 << 10
    /// With more sealed bytes than this unsent on a connection, the server produces nothing for it and stops
    /// reading from it.
    package static let unsent = 64 << 10
    /// With more bytes of uploads than this at the writer, or as many of other requests, the server stops reading from
    /// the connection: it is as much as a client has under way that keeps to its window.
    package static let merging = uploadWindow + read
    /// With so many uploads at the writer, however small, the server stops reading from the connection.
    package static let uploads = 256
    /// How many uploads, or other requests, of a connection may be refused as too much at once before the time that was
    /// named for them. After that it has one at the writer at a time.
    package static let hastyRequests = 16
    /// The longest that a connection isn't read from because it asks again before the time that was named.
    package static let rest = Duration.seconds(1)
    /// How many pings of a connection are answered in a `pingWindow`; then it isn't read from until that has passed.
    package static let pings = 16
    /// The time in which pings are counted.
    package static let pingWindow = Duration.seconds(4)
    /// What comes on a connection is worth so much work for the server until it has to wait for its next turn: one for each
    /// message, and one for every 128 bytes.
    package static let turn = 1_024
    /// The server's writer is given so many entries of a roster at once.
    package static let rosterPiece = 64
    /// So many devices' presence is told in one message at most, where much of it was held back.
    package static let presencePiece = 256
    /// The server looks up so many epochs' records at once at most.
    package static let epochPiece = 64

    /// A version vector on the wire names at most so many replicas. What is left out is only sent once more.
    package static let heads = 16_384
    /// How many devices a roster or a presence names at most.
    package static let devices = 4_096
    /// How many epochs are named at most.
    package static let epochs = 4_096
    /// How many successors of an epoch are named at most that don't count.
    package static let discounted = 64
    /// How many seqs a question about chains names at most.
    package static let probes = 64
    /// How many protocol versions a side names at most.
    package static let versions = 16
    /// The longest text on the wire, in bytes of UTF-8.
    package static let text = 1_024
    /// The longest token, in bytes.
    package static let token = 64
    /// The longest wrapped key bundle, in bytes: it has to fit beside its message before the device is known.
    package static let bundle = 1_024
    /// The longest body of an epoch's record, in bytes.
    package static let epochBody = 512 << 10
    /// The most bytes that the bodies of all records of a group's epochs have.
    package static let epochBytes = 64 << 20
    /// A client keeps at most this many devices that its log doesn't name.
    package static let unnamedDevices = 2_048
    /// A client keeps at most this many replicas of which it can read nothing.
    package static let unreadableReplicas = 1_024
    /// A client keeps at most this many bytes of events that it can't read.
    package static let unreadableBytes = 64 << 20

    /// An event this far ahead of shared time is refused, as it doesn't count there: 2 minutes.
    package static let ahead = Stamp.lead
    /// An unknown device has so long to enrol, and every device to say hello.
    package static let opening = Duration.seconds(10)
    /// A client pings this often.
    package static let ping = Duration.seconds(20)
    /// A client that has heard nothing for so long takes the connection for dead.
    package static let serverSilence = Duration.seconds(45)
    /// A server that has heard nothing for so long takes the connection for dead.
    package static let clientSilence = Duration.seconds(60)
    /// A client tries a replica again so long after the server stopped it, where the server names no time.
    package static let retry = Duration.seconds(60)
    /// A client waits no longer than this, whatever time the server names.
    package static let longestWait = Duration.seconds(15 * 60)
}
