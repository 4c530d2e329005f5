/// A laptop's connections, from when one is begun until nothing of it is under way any more.
struct LaptopLinks {
    /// Those that stand, by number.
    private(set) var standing: [UInt64: Link] = [:]
    /// Those that are being made, which nobody else knows yet.
    private var begun: [UInt64: Link] = [:]
    /// Those that are over here, though something of them may still be on its way.
    private var over: [Link] = []
    private var count: UInt64 = 0

    /// Those that stand, the oldest first.
    var inOrder: [Link] { standing.sorted { $0.key < $1.key }.map(\.value) }

    /// Counts another one that is about to be begun, and gives its number among the laptop's.
    mutating func next() -> UInt64 {
        count += 1
        return count
    }

    /// It is being made.
    mutating func add(_ link: Link) { begun[link.id] = link }

    mutating func connected(_ link: Link) {
        begun.removeValue(forKey: link.id)
        standing[link.id] = link
    }

    /// - Parameter isHeldUp: Whether something of it may still be on its way.
    mutating func disconnected(_ link: Link, isHeldUp: Bool) {
        begun.removeValue(forKey: link.id)
        if standing.removeValue(forKey: link.id) != nil, isHeldUp { over.append(link) }
    }

    /// The laptop has stopped, and something of those that stood may still be on its way.
    mutating func holdUp() { over += inOrder }

    /// Forgets those that stand and those that are being made, and gives these.
    mutating func end() -> [Link] {
        defer { (begun, standing) = ([:], [:]) }
        return begun.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Gives what was held up, which can go on.
    mutating func takeHeldUp() -> [Link] {
        defer { over = [] }
        return over
    }
}

/// What passes between a laptop and the rest of the world.
struct NetworkState {
    var up = true
    var down = true

    /// Whether a connection can be made.
    var isWhole: Bool { up && down }
}
