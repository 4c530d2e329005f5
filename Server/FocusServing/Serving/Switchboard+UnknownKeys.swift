import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Open connections with a key that is on no roster here. Nothing is read from them yet.
struct UnknownKeys {
    /// A connection that waits for the lookup of its key.
    struct Waiting {
        let connection: any ClientConnection
        let device: Digest
    }

    private var waiting: [ConnectionID: Waiting] = [:]

    mutating func add(_ device: Digest, on connection: any ClientConnection) {
        waiting[connection.id] = Waiting(connection: connection, device: device)
    }

    subscript(connection: ConnectionID) -> Waiting? { waiting[connection] }

    /// Removes a connection.
    ///
    /// - Returns: Nil if it wasn't waiting.
    mutating func remove(_ connection: ConnectionID) -> Waiting? {
        waiting.removeValue(forKey: connection)
    }

    /// Removes all connections.
    ///
    /// - Returns: The connections, the oldest first.
    mutating func removeAll() -> [any ClientConnection] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.map(\.value.connection)
    }
}

// The lookup of unknown keys. If servers share a store, another server may have enrolled a device a moment
// ago, and the news hasn't arrived here yet. So a key is looked up before it counts as unknown. The reader
// does that, because strangers are many and the writer shouldn't work for them.
extension Switchboard {
    /// Looks up a key that is on no roster here.
    func lookUp(_ device: Digest, _ connection: any ClientConnection) {
        connection.pauseReading()
        unknownKeys.add(device, on: connection)
        storage?.read(.groups(listing: device, to: connection.id))
    }

    /// Handles the result of a lookup: lets the writer load the groups, because this server may lack them.
    ///
    /// - Parameter numbers: The numbers of the groups that list the key.
    func found(_ numbers: [Int64], for connection: ConnectionID) {
        guard unknownKeys[connection] != nil else { return }
        guard !numbers.isEmpty else { return open(waiting: connection) }
        storage?.write(.news(StoreNews(logs: Set(numbers), rosters: Set(numbers)), for: connection))
    }

    /// Opens a connection, because all groups that list its key in the store are loaded.
    func open(waiting connection: ConnectionID) {
        guard let waiting = unknownKeys.remove(connection) else { return }
        open(waiting.connection, waiting.device, rosters.standing(of: waiting.device))
        waiting.connection.resumeReading()
    }
}
