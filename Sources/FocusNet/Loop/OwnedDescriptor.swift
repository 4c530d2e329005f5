#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file descriptor that is closed when it is let go, on every path.
final class OwnedDescriptor {
    let number: Int32
    private var isOwned = true

    /// Takes over `number`; nil where it says that a call failed.
    init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { if isOwned { close(number) } }

    /// Somebody else closes it from now on.
    func giveAway() { isOwned = false }
}
