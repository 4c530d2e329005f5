import FocusSync
import FocusWriter

/// The connections that have proved which device they are, each by its number.
struct Clients {
    private var byConnection: [ConnectionID: Client] = [:]
    private var order = OrderedKeys<ConnectionID>()

    var isEmpty: Bool { byConnection.isEmpty }

    /// How many they are.
    var count: Int { byConnection.count }

    subscript(connection: ConnectionID) -> Client? { byConnection[connection] }

    /// All of them, the oldest first: no order of a table is to show.
    var all: [Client] { order.all.compactMap { byConnection[$0] } }

    mutating func add(_ client: Client) {
        byConnection[client.connection.id] = client
        order.append(client.connection.id)
    }

    /// - Returns: the one that it was.
    mutating func remove(_ connection: ConnectionID) -> Client? {
        order.remove(connection)
        return byConnection.removeValue(forKey: connection)
    }
}
