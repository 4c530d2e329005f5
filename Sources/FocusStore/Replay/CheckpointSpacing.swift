/// Which checkpoints are worth keeping: the closer to the log's end the denser, since what arrives late is mostly
/// not very late. About 16 for each doubling of the log.
enum CheckpointSpacing {
    /// Events between two checkpoints near the log's end.
    static let finest: UInt64 = 64
    /// How many of the log's last ends keep their checkpoints, and the finest step's more until the next thinning:
    /// what is undone is mostly one of the last presses, and what comes late is mostly a little late.
    static let formerEnds = 8
    /// How many of the finest steps the log's end is near for.
    private static let near: UInt64 = 16

    /// Whether the checkpoint after `count` events is one to keep in a log of `total` events. One that isn't is
    /// none in a longer log either.
    static func keeps(_ count: UInt64, of total: UInt64) -> Bool {
        guard count % finest == 0 else { return false }
        let distance = total > count ? total - count : 0
        var spacing = finest
        while spacing < 1 << 62, distance > spacing * near { spacing *= 2 }
        return count % spacing == 0
    }
}
