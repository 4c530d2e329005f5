/// A file descriptor that is closed when it is let go, on every path.
package final class OwnedDescriptor {
    /// As the system numbers it.
    package let number: Int32
    private var isOwned = true

    /// Takes over `number`; nil where it says that a call failed.
    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { if isOwned { close(number) } }

    /// Somebody else closes it from now on.
    package func giveAway() { isOwned = false }
}
