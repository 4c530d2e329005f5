/// How many of something a group may have, none of whose devices is to take all of it: the last quarter is for devices
/// that have brought little of it since there was no more than that left.
struct SharedLimit: Hashable, Sendable {
    /// So many there may be.
    let limit: Int
    /// So many a device may bring of the last quarter.
    let share: Int

    /// Whether there is no more than the last quarter left.
    func isScarce(beside count: Int) -> Bool { count >= limit - limit / 4 }

    /// Whether there may be another one beside so many.
    ///
    /// - Parameter brought: how many of the last quarter the device has brought; asked only where that matters.
    func hasRoom(beside count: Int, brought: () throws -> Int) rethrows -> Bool {
        guard isScarce(beside: count) else { return true }
        return try count < limit && brought() < share
    }
}
