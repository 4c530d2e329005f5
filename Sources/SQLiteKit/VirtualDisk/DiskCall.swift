/// What a program asks of a virtual disk. Before it has its answer, other programs of the machine may have done anything.
package enum DiskCall: Hashable, Sendable {
    case open, close, read, write, truncate, sync, delete, look
    /// Takes or gives up a lock on a file.
    case lock, unlock
    /// Takes or gives up a lock on what connections share, maps it, or has what it wrote there seen.
    case lockShared, unlockShared, map, unmap, barrier
    /// Waits for so many microseconds.
    case wait(Int32)
}
