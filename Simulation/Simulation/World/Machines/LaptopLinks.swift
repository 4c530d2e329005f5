/// A laptop's connections, from their beginning until none of their bytes is under way.
struct LaptopLinks {
    /// The established connections, by number.
    private(set) var established: [UInt64: Link] = [:]
    /// The connections that are being opened. Only the laptop knows them.
    private var opening: [UInt64: Link] = [:]
    /// The connections that are closed here while some of their bytes may still be on their way.
    private var closed: [Link] = []
    private var count: UInt64 = 0

    /// The established connections, the oldest first.
    var inOrder: [Link] { established.sorted { $0.key < $1.key }.map(\.value) }

    /// Returns the number of the next connection.
    mutating func next() -> UInt64 {
        count += 1
        return count
    }

    /// Adds a connection that is being opened.
    mutating func add(_ link: Link) { opening[link.id] = link }

    mutating func connected(_ link: Link) {
        opening.removeValue(forKey: link.id)
        established[link.id] = link
    }

    /// - Parameter isHeldUp: Whether the network holds up bytes from the laptop.
    mutating func disconnected(_ link: Link, isHeldUp: Bool) {
        opening.removeValue(forKey: link.id)
        if established.removeValue(forKey: link.id) != nil, isHeldUp { closed.append(link) }
    }

    /// Keeps the established connections after the laptop has stopped, because their bytes may still be on
    /// their way.
    mutating func keepEstablished() { closed += inOrder }

    /// Forgets all established and opening connections, and returns the opening ones.
    mutating func end() -> [Link] {
        defer { (opening, established) = ([:], [:]) }
        return opening.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the closed connections with held-up bytes, which can arrive now, and forgets these
    /// connections.
    mutating func removeHeldUp() -> [Link] {
        defer { closed = [] }
        return closed
    }
}

/// The state of the network between a laptop and the rest of the world.
struct NetworkState {
    /// Whether bytes from the laptop get through.
    var passesFromLaptop = true
    /// Whether bytes to the laptop get through.
    var passesToLaptop = true

    /// Whether a connection can be made.
    var isWhole: Bool { passesFromLaptop && passesToLaptop }
}
