package import FocusCore
package import FocusSeal
package import FocusStore
package import FocusText

/// The browsers that a link has let in, by the hashes of what their cookies hold: what is kept of them opens nothing.
package struct PageSessions: Hashable, Sendable {
    /// Where the page was served last, so that it is found there again.
    package var port: UInt16
    private var sessions: [Session] = []

    private struct Session: Hashable {
        let hash: Digest
        /// When it was used last, to about a day.
        var used: SharedInstant

        /// Whether it was used less than so long before `now`. A clock that was set back is no reason to end
        /// it.
        func wasUsed(within span: Duration, of now: SharedInstant) -> Bool {
            now - used < span
        }

        func isGood(at now: SharedInstant) -> Bool { wasUsed(within: PageSessions.lifetime, of: now) }
    }

    /// A session ends when it wasn't used for so long.
    package static let lifetime = Duration.seconds(30 * 86_400)
    /// How many there may be; those that were not used for longest give way.
    package static let limit = 32
    /// Its use is noted anew after so long.
    private static let step = Duration.seconds(86_400)

    /// No browser is let in yet.
    package init(port: UInt16) { self.port = port }

    /// Whether there is none that lets anybody in at `now`.
    package func isEmpty(at now: SharedInstant) -> Bool { !sessions.contains { $0.isGood(at: now) } }

    /// Begins a session at `now`, and gives what its cookie holds.
    ///
    /// - Throws: where the system has no random bytes to give.
    package mutating func begin(at now: SharedInstant) throws(SealError) -> String {
        let token = hexadecimal(try SecretBytes.random(count: 32).exposed())
        sessions.removeAll { !$0.isGood(at: now) }
        sessions.sort { $0.used < $1.used }
        if sessions.count >= PageSessions.limit { sessions.removeFirst() }
        sessions.append(Session(hash: try PageSessions.hash(token), used: now))
        return token
    }

    /// Whether a cookie that holds `token` lets somebody in at `now`.
    package func admits(_ token: String, at now: SharedInstant) -> Bool { index(of: token, at: now) != nil }

    /// Takes note that the session was used; false where it needn't be written down.
    package mutating func noteUse(of token: String, at now: SharedInstant) -> Bool {
        guard let index = index(of: token, at: now),
            !sessions[index].wasUsed(within: PageSessions.step, of: now)
        else {
            return false
        }
        sessions[index].used = now
        return true
    }

    /// Ends the session of whoever has this cookie, if there is one.
    package mutating func end(_ token: String, at now: SharedInstant) {
        if let index = index(of: token, at: now) { sessions.remove(at: index) }
    }

    /// Ends all sessions.
    package mutating func endAll() { sessions = [] }

    private func index(of token: String, at now: SharedInstant) -> Int? {
        guard let hash = try? PageSessions.hash(token) else { return nil }
        // All of them, so that it takes the same time whichever it is.
        let matches = sessions.map { constantTimeEqual($0.hash.bytes.span.bytes, hash.bytes.span.bytes) }
        return matches.firstIndex(of: true).flatMap { sessions[$0].isGood(at: now) ? $0 : nil }
    }

    private static func hash(_ token: String) throws(SealError) -> Digest {
        try Digest(of: Array(token.utf8).span.bytes)
    }
}

extension PageSessions {
    /// What the device's store keeps of them; nil where that is nothing.
    package static func kept(_ store: DeviceStore) throws(StoreError) -> PageSessions? {
        try store.value(.page).flatMap { try? JSON(parsing: $0) }.flatMap { PageSessions($0) }
    }

    /// Keeps them in the device's store.
    package func save(to store: DeviceStore) throws(StoreError) { try store.setText("\(json)", for: .page) }

    /// The sessions as they are kept.
    package var json: JSON {
        .object([
            JSON.Member("port", .integer(port)),
            JSON.Member(
                "sessions",
                .array(
                    sessions.map {
                        .object([
                            JSON.Member("hash", .string($0.hash.hexadecimal)),
                            JSON.Member("used", .instant($0.used)),
                        ])
                    })),
        ])
    }

    /// The sessions that were kept; nil where these are none.
    package init?(_ json: JSON) {
        guard let port = json["port"]?.number.flatMap(UInt16.init(exactly:)),
            case .array(let kept)? = json["sessions"]
        else { return nil }
        self.init(port: port)
        sessions = kept.compactMap { json in
            guard let hash = json["hash"]?.text.flatMap(Digest.init(hexadecimal:)),
                let used = json["used"]?.number
            else { return nil }
            return Session(hash: hash, used: SharedInstant(milliseconds: used))
        }
    }
}

extension ProfileKey {
    /// Where the page was served last, and the hashes of what lets browsers in, as JSON.
    fileprivate static let page = ProfileKey(rawValue: "page")
}

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
