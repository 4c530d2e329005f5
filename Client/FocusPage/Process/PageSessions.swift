package import FocusCore
package import FocusSeal
package import FocusStore
package import FocusText

/// The signed-in browsers and the calendar feed, stored as hashes of their secrets. The hashes give no
/// access.
package struct PageSessions: Hashable, Sendable {
    /// The port at which the server listened last. The next server uses it again, so that browsers find the
    /// page.
    package var port: UInt16
    private var sessions: [Session] = []
    /// The hash of the secret in the calendar feed's address; nil if there is no feed.
    private var calendar: Digest?

    private struct Session: Hashable {
        let hash: Digest
        /// The time of the last use, accurate to about a day.
        var used: SharedInstant

        /// Whether it was used less than `span` before `now`. A clock that was set back doesn't end a
        /// session.
        func wasUsed(within span: Duration, of now: SharedInstant) -> Bool {
            now - used < span
        }

        func isValid(at now: SharedInstant) -> Bool { wasUsed(within: PageSessions.lifetime, of: now) }
    }

    /// The time without use after which a session ends.
    package static let lifetime = Duration.seconds(30 * 86_400)
    /// The maximum number of sessions. A new session then replaces the least recently used one.
    package static let limit = 32
    /// The shortest time between two stored uses of a session.
    private static let useInterval = Duration.seconds(86_400)

    /// Sessions of no browser yet.
    package init(port: UInt16) { self.port = port }

    /// Whether there is no calendar feed, and no session is valid at `now`.
    package func isEmpty(at now: SharedInstant) -> Bool {
        !hasCalendar && !sessions.contains { $0.isValid(at: now) }
    }

    /// Begins a session at `now`, and returns the token for its cookie.
    ///
    /// - Throws: `SealError` if the system has no random bytes.
    package mutating func begin(at now: SharedInstant) throws(SealError) -> String {
        let token = try PageSessions.randomToken()
        sessions.removeAll { !$0.isValid(at: now) }
        sessions.sort { $0.used < $1.used }
        if sessions.count >= PageSessions.limit { sessions.removeFirst() }
        sessions.append(Session(hash: try PageSessions.hash(token), used: now))
        return token
    }

    /// Whether `token` is valid at `now`.
    package func admits(_ token: String, at now: SharedInstant) -> Bool { index(of: token, at: now) != nil }

    /// Records a use of the session, at most one a day. Returns whether it was recorded, so that the sessions
    /// must be stored.
    package mutating func recordUse(of token: String, at now: SharedInstant) -> Bool {
        guard let index = index(of: token, at: now),
            !sessions[index].wasUsed(within: PageSessions.useInterval, of: now)
        else {
            return false
        }
        sessions[index].used = now
        return true
    }

    /// Ends the session with this token, if there is one.
    package mutating func end(_ token: String, at now: SharedInstant) {
        if let index = index(of: token, at: now) { sessions.remove(at: index) }
    }

    /// Ends all sessions and the calendar feed.
    package mutating func endAll() { (sessions, calendar) = ([], nil) }

    private func index(of token: String, at now: SharedInstant) -> Int? {
        guard let hash = try? PageSessions.hash(token) else { return nil }
        // Compares with all of them, so that the time doesn't show which one matches.
        let matches = sessions.map { constantTimeEqual($0.hash.bytes.span.bytes, hash.bytes.span.bytes) }
        return matches.firstIndex(of: true).flatMap { sessions[$0].isValid(at: now) ? $0 : nil }
    }

    private static func randomToken() throws(SealError) -> String {
        hexadecimal(try SecretBytes.random(count: 32).exposed())
    }

    private static func hash(_ token: String) throws(SealError) -> Digest {
        try Digest(of: Array(token.utf8).span.bytes)
    }
}

// The calendar feed.
extension PageSessions {
    /// Whether there is a calendar feed.
    package var hasCalendar: Bool { calendar != nil }

    /// Makes a calendar feed, which replaces the former one. Returns the secret for its address.
    ///
    /// - Throws: `SealError` if the system has no random bytes.
    package mutating func renewCalendar() throws(SealError) -> String {
        let secret = try PageSessions.randomToken()
        calendar = try PageSessions.hash(secret)
        return secret
    }

    /// Whether `secret` is that of the calendar feed.
    package func admitsCalendar(_ secret: String) -> Bool {
        guard let hash = try? PageSessions.hash(secret), let calendar else { return false }
        return constantTimeEqual(calendar.bytes.span.bytes, hash.bytes.span.bytes)
    }
}

extension PageSessions {
    /// Returns the sessions in the device's store, or nil if there are none.
    package static func stored(_ store: DeviceStore) throws(StoreError) -> PageSessions? {
        try store.value(.page).flatMap { try? JSON(parsing: $0) }.flatMap { PageSessions($0) }
    }

    /// Saves the sessions in the device's store.
    package func save(to store: DeviceStore) throws(StoreError) { try store.setText("\(json)", for: .page) }

    /// The stored form of the sessions.
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
            JSON.Member("calendar", .optional(calendar?.hexadecimal)),
        ])
    }

    /// The sessions in their stored form; fails if `json` isn't one.
    package init?(_ json: JSON) {
        guard let port = json["port"]?.number.flatMap(UInt16.init(exactly:)),
            case .array(let stored)? = json["sessions"]
        else { return nil }
        self.init(port: port)
        calendar = json["calendar"]?.text.flatMap(Digest.init(hexadecimal:))
        sessions = stored.compactMap { json in
            guard let hash = json["hash"]?.text.flatMap(Digest.init(hexadecimal:)),
                let used = json["used"]?.number
            else { return nil }
            return Session(hash: hash, used: SharedInstant(milliseconds: used))
        }
    }
}

extension StoredValueKey {
    /// The port of the last server, and the hashes of the sessions' tokens and of the calendar feed's secret,
    /// as JSON.
    fileprivate static let page = StoredValueKey(rawValue: "page")
}

/// The one-time keys of the links from `focus web`: each signs in one browser, within two minutes.
package struct OneTimeKeys {
    private var keys: [Key] = []

    private struct Key {
        let secret: SecretBytes
        let expires: SteadyInstant
    }

    /// The time for which a key is valid.
    package static let lifetime = Duration.seconds(120)
    /// The maximum number of unused keys. A new key then replaces the oldest.
    package static let limit = 8

    /// No keys.
    package init() {}

    /// Makes a key at `now`, and returns its text for a link.
    ///
    /// - Throws: `SealError` if the system has no random bytes.
    package mutating func make(at now: SteadyInstant) throws(SealError) -> String {
        let secret = try SecretBytes.random(count: 32)
        keys.append(Key(secret: secret, expires: now + OneTimeKeys.lifetime))
        if keys.count > OneTimeKeys.limit { keys.removeFirst() }
        return hexadecimal(secret.exposed())
    }

    /// Whether `text` is a key that is valid at `now`. The key is then used up.
    package mutating func use(_ text: String, at now: SteadyInstant) -> Bool {
        keys.removeAll { $0.expires < now }
        guard let bytes = bytes(hexadecimal: text) else { return false }
        let shown = SecretBytes(bytes)
        // Compares with all of them, so that the time doesn't show which one matches.
        let matches = keys.map { $0.secret == shown }
        guard let index = matches.firstIndex(of: true) else { return false }
        keys.remove(at: index)
        return true
    }
}
