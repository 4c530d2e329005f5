package import FocusCore
package import FocusNet
import FocusSync
package import FocusWriter

/// One connection and its session. It belongs to its switchboard.
final class Client {
    let connection: any ClientConnection
    /// The key that the other side proved to hold.
    let device: Digest
    /// The hash of the key that the server showed.
    let shownKey: Digest
    /// When the connection could be used.
    let opened: SteadyInstant
    var session: ServerSession
    /// What it has entered; nil before its welcome, and once it is about to end.
    private(set) var entered: Entered?
    /// When the uploads came that aren't answered yet, the oldest first.
    var uploads = Fifo<SteadyInstant>()
    /// As whose it counts, and what is held in memory for it.
    var share = Buffers.Share()
    /// Whether the device was let in on this connection.
    var isNew = false

    /// A group that it has entered.
    struct Entered {
        let group: GroupID
        /// How the server's keys stood when the welcome told of them.
        let told: ServerPin
        /// Whether it took the group for its own.
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

    /// The group that it has entered.
    var group: GroupID? { entered?.group }

    /// It enters a group, whose welcome tells of the server's keys.
    func enter(_ group: GroupID, told: ServerPin) { entered = Entered(group: group, told: told) }

    /// It takes the group that it has entered for its own.
    func takeGroup() { entered?.isTaken = true }

    /// It is in its group no longer.
    ///
    /// - Returns: what it had entered.
    func leaveGroup() -> Entered? {
        defer { entered = nil }
        return entered
    }
}

/// The server's connections, each by its number: those that are still proving which device they are, and those that have.
struct Clients {
    private enum Entry {
        case arriving(any ClientConnection)
        case client(Client)
    }

    private var entries: [ConnectionID: Entry] = [:]
    /// Those that have, the oldest first: no order of a table is to show.
    private var order = OrderedKeys<ConnectionID>()

    /// Whether none has proved which device it is.
    var isEmpty: Bool { order.isEmpty }

    /// How many have.
    var count: Int { order.count }

    /// How many there are in all.
    var countWithArriving: Int { entries.count }

    subscript(connection: ConnectionID) -> Client? {
        if case .client(let client)? = entries[connection] { client } else { nil }
    }

    /// All that have, the oldest first.
    var all: [Client] { order.all.compactMap { self[$0] } }

    /// A connection has come, and is about to prove which device it is.
    mutating func arrive(_ connection: any ClientConnection) {
        entries[connection.id] = .arriving(connection)
    }

    /// One that is still about to has to go.
    ///
    /// - Returns: nil where it isn't, or isn't there.
    mutating func turnAway(_ connection: ConnectionID) -> (any ClientConnection)? {
        guard case .arriving(let arriving)? = entries[connection] else { return nil }
        entries[connection] = nil
        return arriving
    }

    /// A connection has proved which device it is.
    mutating func add(_ client: Client) {
        entries[client.connection.id] = .client(client)
        order.append(client.connection.id)
    }

    /// A connection is over.
    ///
    /// - Returns: the client that it was; nil where it never proved which device it is.
    mutating func remove(_ connection: ConnectionID) -> Client? {
        order.remove(connection)
        guard case .client(let client)? = entries.removeValue(forKey: connection) else { return nil }
        return client
    }
}

/// The stream of bytes to and from a laptop, as far as the switchboard needs one. It tells the switchboard what
/// happens, never from within a call to it.
package protocol ClientConnection: AnyObject {
    var id: ConnectionID { get }
    /// How many bytes of what was sent haven't gone out yet.
    var unsentBytes: Int { get }
    /// How many bytes came and haven't been handed over yet.
    var heldBytes: Int { get }
    /// Who is at the other end, for people.
    var peerDescription: String { get }
    /// Where that is, as far as one user can be told from another.
    var peerBlock: AddressBlock { get }
    /// The hash of the key that this side showed; nil before the connection can be used.
    var shownKey: Digest? { get }
    /// Sends bytes, in order.
    func send(_ bytes: [UInt8])
    /// Hands over nothing more for now.
    func pauseReading()
    func resumeReading()
    /// Ends the connection in good order, after what was sent.
    func close()
    /// The same, where the other side has only so long to take what was sent; of a connection that is ending already
    /// too.
    func close(within time: Duration)
    /// Ends the connection at once.
    func abort()
}

extension Connection: ClientConnection {
    /// The block of the address that the connection comes from, as TCP shows it.
    package var peerBlock: AddressBlock { AddressBlock(address: peerAddress) }

    /// The hash of the key that this side showed in TLS; nil before that has begun.
    package var shownKey: Digest? { ownKey.flatMap { Digest(bytes: $0.bytes) } }
}

/// Where the switchboard leaves what has to be written or read. The answers come to it later, in order
/// (`Switchboard.handle`).
package protocol StorageQueue {
    /// Leaves a request for the writer.
    func write(_ request: WriterRequest)
    /// Leaves a request for the reader.
    func read(_ request: ReaderRequest)
}
