import FocusSync
import FocusWriter

/// Checks how much the network's thread does at once for each group (docs/protocol.md, "A session";
/// docs/architecture.md, "Turns"). It counts the visible work: direct answers, requests to the writer and the
/// reader, and forwarded messages.
struct TurnCheck {
    /// Whether a connection waits for a turn now, and whether one did when the current call began.
    private(set) var isAwaited = false
    private var wasAwaited = false
    /// The work done in the current call.
    private var work = 0

    mutating func begin(isTurns: Bool) {
        wasAwaited = isAwaited
        work = 0
        if isTurns { isAwaited = false }
    }

    /// Notes that a connection waits for a turn.
    mutating func wait() { isAwaited = true }

    /// Whether messages that arrive in this call have to wait for a turn, because other connections waited
    /// before the call.
    var hasToWait: Bool { wasAwaited }

    /// The most work in a call: two turns. Each may exceed its limit by one message, which counts as a turn
    /// at most.
    private static let most = 4 * Limits.turn

    /// Checks that the server may look at the connection's first waiting message of this type now.
    ///
    /// - Parameters:
    ///   - isOwn: Whether the current call handles bytes received on this connection.
    ///   - isTurns: Whether the current call serves waiting connections.
    /// - Returns: The excess, or nil if there is none.
    mutating func looks(
        at type: MessageType, _ waiting: inout [SeenMessage], isOwn: Bool, isTurns: Bool
    ) -> String? {
        guard let index = waiting.firstIndex(where: { $0.type == type }) else { return nil }
        let last = waiting.remove(at: index).work
        guard isOwn || isTurns else { return nil }
        if isOwn, wasAwaited { return "\(type) is looked at before those who wait for their turn" }
        let done = work
        // A message with more work than a turn may begin if any of the turn is left.
        work = done + min(last, Limits.turn)
        guard done < (isOwn ? Limits.turn : TurnCheck.most) else {
            return "\(type) is looked at after what is worth \(done)"
        }
        return nil
    }

    /// Adds the work of a welcome, or of forwarding a message.
    ///
    /// - Returns: The excess, or nil if there is none.
    mutating func does(_ more: Int) -> String? {
        let done = work
        work += more
        return done < TurnCheck.most ? nil : "\(done) at once, and \(more) more"
    }
}
