import FocusCore

/// The protocol's limits and intervals (docs/protocol.md).
package enum Limits {
    /// The longest frame of a known device (type and body), in bytes.
    package static let frame = 1 << 20
    /// The longest frame before the device is known (type and body), in bytes.
    package static let frameBeforeKnown = 4 << 10

    /// The number of bytes of packed events that a session requests from its driver at once.
    package static let read = 128 << 10
    /// The most bytes of packed events that fit into a frame after the segment's header.
    package static let packed = frame - 64
    /// The number of a client's unanswered questions at which the server stops reading from the connection.
    /// Three kinds are counted separately: questions about chains, replicas in `want` messages, and group
    /// requests (`GroupRequest`).
    package static let questions = 16
    /// The number of bytes of unanswered uploads at which a client waits for acknowledgements.
    package static let uploadWindow = 512 << 10
    /// The most unsent bytes on a connection before the server produces nothing more for it
    /// and stops reading from it.
    package static let unsent = 64 << 10
    /// The most bytes of uploads at the writer. Other requests are counted separately, up to the same limit.
    /// Beyond the limit, the server stops reading from the connection. A client that keeps to `uploadWindow`
    /// never exceeds it.
    package static let merging = uploadWindow + read
    /// The number of uploads at the writer, however small, at which the server stops
    /// reading from the connection.
    package static let uploads = 256
    /// The number of hasty retries in a row after which only one request of a client may be at the writer at
    /// the same time (`RefusalLimiter`). A retry is hasty if it comes before the time that a
    /// `RefusalCode.rate` named. Uploads and other requests are counted separately.
    package static let hastyRequests = 16
    /// The longest time for which the server doesn't read from a connection because its client retries too
    /// soon.
    package static let longestPause = Duration.seconds(1)
    /// The number of pings that are answered on a connection within a `pingWindow`. Then the server doesn't
    /// read from it until the window is over.
    package static let pings = 16
    /// The length of the window in which pings are counted.
    package static let pingWindow = Duration.seconds(4)
    /// The work that a session does for its client in one turn. A message counts as 1, plus 1 for every 128
    /// bytes of its body.
    package static let turn = 1_024
    /// The most entries in one `roster` request.
    package static let rosterPiece = 64
    /// The most devices that a server puts into one presence message about changes.
    package static let presencePiece = 256
    /// The most records of epochs that the server looks up at once.
    package static let epochPiece = 64

    /// The most replicas in a version vector on the wire, and the most that a group may have. A longer vector
    /// is cut. The events of the replicas that it then lacks are sent again, but nothing is lost.
    package static let heads = 1_024
    /// The most devices in a roster or a presence message, and the most that a server may name to a client.
    package static let devices = 4_096
    /// The most epochs in a message, and the most records of epochs that a group may have.
    package static let epochs = 4_096
    /// The most discounted epochs that a `successor` message may list.
    package static let discounted = 64
    /// The most seqs in a question about chains.
    package static let probes = 64
    /// The most protocol versions that a side names.
    package static let versions = 16
    /// The most addresses that a server announces.
    package static let addresses = 8
    /// The most addresses that a server has for laptops. There is then always room for its page's in a welcome.
    package static let laptopAddresses = addresses - 1
    /// The longest address that a server announces, in bytes.
    package static let address = 255
    /// The longest text on the wire, in bytes of UTF-8.
    package static let text = 1_024
    /// The longest token, in bytes.
    package static let token = 64
    /// The longest wrapped key, in bytes. Its message has to fit into a frame before the device is known.
    package static let bundle = 1_024
    /// The longest body of an epoch's record, in bytes.
    package static let epochBody = 512 << 10
    /// The most bytes in the bodies of all records of a group's epochs.
    package static let epochBytes = 64 << 20
    /// The most devices that a client keeps although its log doesn't name them.
    package static let unnamedDevices = 2_048
    /// The most replicas that a client keeps although it can read nothing of them.
    package static let unreadableReplicas = 512
    /// The most bytes of events that a client keeps although it can't read them.
    package static let unreadableBytes = 64 << 20

    /// The lead over shared time, 2 minutes, beyond which an event is early and the server refuses it.
    package static let ahead = Stamp.lead
    /// The time that a device has to say hello, and an unknown one to enrol.
    package static let opening = Duration.seconds(10)
    /// The interval at which a client pings.
    package static let ping = Duration.seconds(20)
    /// The time without bytes from the server after which a client ends the connection.
    package static let serverSilence = Duration.seconds(45)
    /// The time without bytes from the client after which a server ends the connection.
    package static let clientSilence = Duration.seconds(60)
    /// The time after which a client tries a stopped replica again, if the server named none.
    package static let retry = Duration.seconds(60)
    /// The time between the starts of two attempts to connect, at different addresses of a server (RFC 8305
    /// §5).
    package static let attemptDelay = Duration.milliseconds(250)
    /// The longest time that a client waits, even if the server names a longer one.
    package static let longestWait = Duration.seconds(15 * 60)
}
