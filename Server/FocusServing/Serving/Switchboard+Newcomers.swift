import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Connections that can be used, whose keys no roster has here. Nothing is read from them yet.
struct Newcomers {
    /// One of them.
    struct Newcomer {
        let connection: any ClientConnection
        let device: Digest
    }

    private var newcomers: [ConnectionID: Newcomer] = [:]

    mutating func add(_ device: Digest, on connection: any ClientConnection) {
        newcomers[connection.id] = Newcomer(connection: connection, device: device)
    }

    subscript(connection: ConnectionID) -> Newcomer? { newcomers[connection] }

    /// - Returns: nil where it is none.
    mutating func remove(_ connection: ConnectionID) -> Newcomer? {
        newcomers.removeValue(forKey: connection)
    }

    /// - Returns: the connections of all.
    mutating func removeAll() -> [any ClientConnection] {
        defer { newcomers = [:] }
        return newcomers.values.map(\.connection)
    }
}

// Where several servers share a store, another one may have let a device in a moment ago, of which there is no news here yet. So
// before a key counts as unknown, it is looked up: by the reader, as strangers are many and the writer isn't to work for them.
extension Switchboard {
    /// Looks a key up that no roster has here.
    func lookUp(_ device: Digest, _ connection: any ClientConnection) {
        connection.pauseReading()
        newcomers.add(device, on: connection)
        storage?.read(.groups(listing: device, to: connection.id))
    }

    /// The rosters of the groups of these numbers have the key that was looked up: the writer has to have the groups, too.
    func found(_ numbers: [Int64], for connection: ConnectionID) {
        guard newcomers[connection] != nil else { return }
        guard !numbers.isEmpty else { return open(newcomer: connection) }
        storage?.write(.news(StoreNews(logs: Set(numbers), rosters: Set(numbers)), for: connection))
    }

    /// All is known that the store says of a key.
    func open(newcomer connection: ConnectionID) {
        guard let newcomer = newcomers.remove(connection) else { return }
        open(newcomer.connection, newcomer.device, rosters.standing(of: newcomer.device))
        newcomer.connection.resumeReading()
    }
}
