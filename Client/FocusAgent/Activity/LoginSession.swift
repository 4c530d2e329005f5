import DBusKit

/// A session in the answer of `ListSessions`, `(susso)`.
struct LoginSession {
    let id: String
    let user: Int64
    let seat: String
    let path: String

    /// Nil if the value isn't such a structure.
    init?(_ value: BusValue) {
        guard let parts = value.elements, parts.count == 5, let id = parts[0].text,
            let user = parts[1].integer, let seat = parts[3].text, let path = parts[4].text
        else { return nil }
        (self.id, self.user, self.seat, self.path) = (id, user, seat, path)
    }
}
