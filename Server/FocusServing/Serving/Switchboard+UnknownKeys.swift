import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Connections that can be used, whose keys no roster has here. Nothing is read from them yet.
struct UnknownKeys {
    /// One of them.
    struct Waiting {
        let connection: any ClientConnection
        let device: Digest
    }

    private var waiting: [ConnectionID: Waiting] = [:]

    mutating func add(_ device: Digest, on connection: any ClientConnection) {
        waiting[connection.id] = Waiting(connection: connection, device: device)
    }

    subscript(connection: ConnectionID) -> Waiting? { waiting[connection] }

    /// - Returns: nil where it is none.
    mutating func remove(_ connection: ConnectionID) -> Waiting? {
        waiting.removeValue(forKey: connection)
    }

    /// - Returns: the connections of all, the oldest first.
    mutating func removeAll() -> [any ClientConnection] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.map(\.value.connection)
    }
}

// Where several servers share a store, another one may have let a device in a moment ago, of which there is no news here yet. So
// before a key counts as unknown, it is looked up: by the reader, as strangers are many and the writer isn't to work for them.
extension Switchboard {
    /// Looks a key up that no roster has here.
    func lookUp(_ device: Digest, _ connection: any ClientConnection) {
        connection.pauseReading()
        unknownKeys.add(device, on: connection)
        storage?.read(.groups(listing: device, to: connection.id))
    }

    /// The rosters of the groups of these numbers have the key that was looked up: the writer has to have the groups, too.
    func found(_ numbers: [Int64], for connection: ConnectionID) {
        guard unknownKeys[connection] != nil else { return }
        guard !numbers.isEmpty else { return open(waiting: connection) }
        storage?.write(.news(StoreNews(logs: Set(numbers), rosters: Set(numbers)), for: connection))
    }

    /// All is known that the store says of a key.
    func open(waiting connection: ConnectionID) {
        guard let waiting = unknownKeys.remove(connection) else { return }
        open(waiting.connection, waiting.device, rosters.standing(of: waiting.device))
        waiting.connection.resumeReading()
    }
}
