package import FocusCore
package import FocusNet
import FocusSync
package import FocusWriter

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
        /// The server's keys, as the welcome named them.
        let told: ServerPin
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

    /// The group that the connection has entered, or nil if it is in none.
    var group: GroupID? { entered?.group }

    /// Enters a group.
    ///
    /// - Parameter told: The server's keys, as the welcome names them.
    func enter(_ group: GroupID, told: ServerPin) { entered = Entered(group: group, told: told) }

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

/// The server's connections by number, before and after they have proved their device.
struct Clients {
    private enum Entry {
        case arriving(any ClientConnection)
        case client(Client)
    }

    private var entries: [ConnectionID: Entry] = [:]
    /// The connections that have proved their device, the oldest first, so that no result depends on a
    /// dictionary's order.
    private var order = OrderedKeys<ConnectionID>()

    /// Whether no connection has proved its device.
    var isEmpty: Bool { order.isEmpty }

    /// The number of connections that have proved their device.
    var count: Int { order.count }

    /// The number of all connections.
    var countWithArriving: Int { entries.count }

    subscript(connection: ConnectionID) -> Client? {
        if case .client(let client)? = entries[connection] { client } else { nil }
    }

    /// The connections that have proved their device, the oldest first.
    var all: [Client] { order.all.compactMap { self[$0] } }

    /// Adds a connection that is about to prove its device.
    mutating func arrive(_ connection: any ClientConnection) {
        entries[connection.id] = .arriving(connection)
    }

    /// Removes a connection that has not proved its device yet.
    ///
    /// - Returns: The connection, or nil if it has proved its device or doesn't exist.
    mutating func turnAway(_ connection: ConnectionID) -> (any ClientConnection)? {
        guard case .arriving(let arriving)? = entries[connection] else { return nil }
        entries[connection] = nil
        return arriving
    }

    /// Adds a connection that has proved its device.
    mutating func add(_ client: Client) {
        entries[client.connection.id] = .client(client)
        order.append(client.connection.id)
    }

    /// Removes a connection that is over.
    ///
    /// - Returns: Its client, or nil if it never proved its device.
    mutating func remove(_ connection: ConnectionID) -> Client? {
        order.remove(connection)
        guard case .client(let client)? = entries.removeValue(forKey: connection) else { return nil }
        return client
    }
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

extension Connection: ClientConnection {
    /// The block of the client's address, as TCP reports it.
    package var peerBlock: AddressBlock { AddressBlock(address: peerAddress) }

    /// The hash of the key that this side showed in TLS; nil before TLS has begun.
    package var shownKey: Digest? { ownKey.flatMap { Digest(bytes: $0.bytes) } }
}

/// The queue for requests to the store. The answers are passed to `Switchboard.handle` later, in order.
package protocol StorageQueue {
    /// Appends a request for the writer.
    func write(_ request: WriterRequest)
    /// Appends a request for the reader.
    func read(_ request: ReaderRequest)
}
