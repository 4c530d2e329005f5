/// The server keys that a laptop trusts: the present key and, if the server has announced a change, the next
/// key (docs/protocol.md, "Changing the server's key").
package struct ServerPin: Hashable, Sendable {
    /// The hash of the server's present key.
    package let key: Digest
    /// The hash of the announced key, or nil if there is none. It never equals `key`.
    package let next: Digest?

    /// Creates a pin. An announced key that equals the present key is ignored.
    package init(_ key: Digest, next: Digest? = nil) {
        self.key = key
        self.next = next == key ? nil : next
    }

    /// The keys that the server may prove to hold.
    package var keys: [Digest] { [key] + (next.map { [$0] } ?? []) }

    /// Returns the pin after a welcome: the key that the server proved, and the key that the welcome
    /// announces. If the pin doesn't have the proved key, nothing changes, because another process of the
    /// laptop has stored a newer pin in the meantime.
    ///
    /// - Parameters:
    ///   - shown: The key that the server proved to hold.
    ///   - announced: The next key that the welcome announces, or nil.
    package func welcomed(by shown: Digest, announcing announced: Digest?) -> ServerPin {
        keys.contains(shown) ? ServerPin(shown, next: announced) : self
    }

    /// Returns the key that a server with these keys announces after it proved `shown`; nil if there is none.
    /// On a connection from before the last change of keys, `shown` is the former key. There the server
    /// announces its present key.
    package func announcement(after shown: Digest) -> Digest? { shown == key ? next : key }
}
