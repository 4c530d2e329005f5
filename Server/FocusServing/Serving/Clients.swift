import FocusSync
import FocusWriter

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
