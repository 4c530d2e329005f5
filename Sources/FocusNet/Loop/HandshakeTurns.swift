/// Which handshakes a loop takes on in a turn: so many at most, the others in later turns, in the order they came.
///
/// A step of a handshake takes some hundred microseconds, which everybody who is connected waits for. However many
/// clients come at once, that is for a few of them.
struct HandshakeTurns<Client> {
    /// How many are taken on in a turn.
    static var atOnce: Int { 4 }

    /// How many were, in this one.
    private var taken = 0
    private var waiting: [Client] = []

    /// Whether nobody waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// Whether the client's handshake may be taken on in this turn. Otherwise the client waits, and is among the `next`.
    mutating func mayTakeOn(_ client: Client) -> Bool {
        guard taken < Self.atOnce else {
            waiting.append(client)
            return false
        }
        taken += 1
        return true
    }

    /// Begins another turn, with these clients: each of them may be taken on.
    mutating func next() -> [Client] {
        taken = 0
        let ready = Array(waiting.prefix(Self.atOnce))
        waiting.removeFirst(ready.count)
        return ready
    }
}
