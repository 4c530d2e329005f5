package import FocusCore
import FocusSync

/// A connection and its session. It belongs to its switchboard.
final class Client {
    let connection: any ClientConnection
    /// The hash of the key that the other side proved to hold.
    let device: Digest
    /// The hash of the key that the server showed.
    let shownKey: Digest
    /// The instant at which the handshake was complete.
    let opened: SteadyInstant
    var session: ServerSession
    /// The group that the connection entered; nil before the welcome, and once the connection is about to
    /// end.
    private(set) var entered: Entered?
    /// The arrival times of the uploads that aren't answered yet, the oldest first.
    var uploads = Fifo<SteadyInstant>()
    /// The memory held for the connection, and the group to which that memory is charged.
    var share = ConnectionMemory.Share()
    /// Whether the device enrolled on this connection.
    var isNew = false

    /// A group that a connection has entered.
    struct Entered {
        let group: GroupID
        /// The server's keys and addresses, as the welcome named them.
        let told: ServerAnnouncement
        /// Whether the device has accepted the group.
        var isTaken = false
    }

    init(
        _ connection: any ClientConnection, device: Digest, shownKey: Digest, opened: SteadyInstant,
        session: consuming ServerSession
    ) {
        self.connection = connection
        self.device = device
        self.shownKey = shownKey
        self.opened = opened
        self.session = session
    }

    /// Updates the counted size of the connection's own buffers. Called before more is sent, so that the new
    /// bytes don't count: most of them go out at once, and data for a whole group is in memory only once.
    func countBuffers() { share.lineBytes = connection.unsentBytes + connection.heldBytes }

    /// The group that the connection has entered, or nil if it is in none.
    var group: GroupID? { entered?.group }

    /// Enters a group.
    ///
    /// - Parameter told: The server's keys and addresses, as the welcome names them.
    func enter(_ group: GroupID, told: ServerAnnouncement) { entered = Entered(group: group, told: told) }

    /// Records that the device has accepted the group.
    func takeGroup() { entered?.isTaken = true }

    /// Leaves the group.
    ///
    /// - Returns: The group that the connection had entered, or nil if it was in none.
    func leaveGroup() -> Entered? {
        defer { entered = nil }
        return entered
    }
}

/// The part of a welcome that is the same for all groups: the server's keys, and the addresses that laptops are to
/// use.
struct ServerAnnouncement: Hashable {
    /// The server's key, and the key that it announces.
    var pin: ServerPin
    /// The addresses, best first; empty to announce none.
    var addresses: [String] = []
}

/// The byte stream to and from a laptop, as the switchboard sees it. A connection calls the switchboard when
/// something happens, but never during a call from the switchboard.
package protocol ClientConnection: AnyObject {
    var id: ConnectionID { get }
    /// The number of sent bytes that haven't gone out yet.
    var unsentBytes: Int { get }
    /// The number of received bytes that haven't been handed over yet.
    var heldBytes: Int { get }
    /// A description of the other end, for people.
    var peerDescription: String { get }
    /// The part of the other end's address that identifies one user.
    var peerBlock: AddressBlock { get }
    /// The hash of the key that this side showed; nil before the handshake.
    var shownKey: Digest? { get }
    /// Sends bytes, in order.
    func send(_ bytes: [UInt8])
    /// Stops handing over received bytes until `resumeReading`.
    func pauseReading()
    func resumeReading()
    /// Closes the connection in good order, after all sent bytes have gone out.
    func close()
    /// Closes the connection like `close`, but aborts it if the bytes don't go out within `time`. Also
    /// applies to a connection that is already closing.
    func close(within time: Duration)
    /// Closes the connection at once, without sending the remaining bytes.
    func abort()
}

/// The queue for requests to the store. The answers are passed to `Switchboard.handle` later, in order.
package protocol StorageQueue {
    /// Appends a request for the writer.
    func write(_ request: WriterRequest)
    /// Appends a request for the reader.
    func read(_ request: ReaderRequest)
}

/// The requests to the store, until all accepted ones are acknowledged. Later requests are dropped.
final class StoreRequests {
    private var queue: (any StorageQueue)?

    init(_ queue: any StorageQueue) { self.queue = queue }

    func write(_ request: WriterRequest) { queue?.write(request) }
    func read(_ request: ReaderRequest) { queue?.read(request) }

    /// Drops all requests from now on.
    func end() { queue = nil }
}

extension Digest {
    /// The first 8 hexadecimal digits, which are enough to tell devices apart in the log.
    package var short: String { String(hexadecimal.prefix(8)) }
}
