package import FocusCore
package import FocusSeal

/// The one-time keys of the links that `focus web` gives: each lets a browser in once, and within two minutes.
package struct PageKeys {
    private var keys: [Key] = []

    private struct Key {
        let secret: SecretBytes
        let expires: SteadyInstant
    }

    /// How long a key is good for.
    package static let lifetime = Duration.seconds(120)
    /// How many there may be that nobody has used; the oldest give way.
    package static let limit = 8

    /// No key is there yet.
    package init() {}

    /// A new key as it stands in a link, made at `now`.
    ///
    /// - Throws: where the system has no random bytes to give.
    package mutating func make(at now: SteadyInstant) throws(SealError) -> String {
        let secret = try SecretBytes.random(count: 32)
        keys.append(Key(secret: secret, expires: now + PageKeys.lifetime))
        if keys.count > PageKeys.limit { keys.removeFirst() }
        return hexadecimal(secret.exposed())
    }

    /// Whether `text` is a key that is good at `now`; it is used up by that.
    package mutating func use(_ text: String, at now: SteadyInstant) -> Bool {
        keys.removeAll { $0.expires < now }
        guard let bytes = bytes(hexadecimal: text) else { return false }
        let shown = SecretBytes(bytes)
        // All of them, so that it takes the same time whichever it is.
        let matches = keys.map { $0.secret == shown }
        guard let index = matches.firstIndex(of: true) else { return false }
        keys.remove(at: index)
        return true
    }
}
