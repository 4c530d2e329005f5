/// The keys by which a laptop takes its server: the one that it shows, and the one that it will show from some day on,
/// where it has announced that it changes its key (docs/protocol.md, "Changing the server's key").
package struct ServerPin: Hashable, Sendable {
    /// The hash of the server's key.
    package let key: Digest
    /// The hash of the announced key; never that of `key`.
    package let next: Digest?

    /// A pin. An announced key that is the present one is none.
    package init(_ key: Digest, next: Digest? = nil) {
        self.key = key
        self.next = next == key ? nil : next
    }

    /// Every key that the server may show.
    package var keys: [Digest] { [key] + (next.map { [$0] } ?? []) }

    /// What a laptop pins after a welcome.
    ///
    /// A key that was announced is the pin for good once the server has welcomed the laptop with it, and what a welcome
    /// doesn't announce is forgotten. A welcome from a server that the pin doesn't know changes nothing: another process
    /// of the laptop has learnt more meanwhile.
    ///
    /// - Parameters:
    ///   - shown: the key that the server proved to hold.
    ///   - announced: the next one, as the welcome says.
    package func welcomed(by shown: Digest, announcing announced: Digest?) -> ServerPin {
        keys.contains(shown) ? ServerPin(shown, next: announced) : self
    }

    /// What a server that should be pinned like this announces where it has shown `shown`: on a connection from before
    /// the change, the key that it has now.
    package func announcement(after shown: Digest) -> Digest? { shown == key ? next : key }
}
