import FocusSync
import FocusWriter

/// The connections that have proved which device they are, each by its number.
struct Members {
    private var byConnection: [ConnectionID: Member] = [:]
    private var order = OrderedKeys<ConnectionID>()

    var isEmpty: Bool { byConnection.isEmpty }

    /// How many they are.
    var count: Int { byConnection.count }

    subscript(connection: ConnectionID) -> Member? { byConnection[connection] }

    /// All of them, the oldest first: no order of a table is to show.
    var all: [Member] { order.all.compactMap { byConnection[$0] } }

    mutating func add(_ member: Member) {
        byConnection[member.connection.id] = member
        order.append(member.connection.id)
    }

    /// - Returns: the one that it was.
    mutating func remove(_ connection: ConnectionID) -> Member? {
        order.remove(connection)
        return byConnection.removeValue(forKey: connection)
    }
}
