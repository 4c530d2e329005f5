import FocusSync
import FocusWriter

/// How much the network's thread does at once for whom (docs/protocol.md, "A session"; docs/architecture.md, "Turns"). It
/// is counted from what can be seen of it: what is answered at once, left with the writer and the reader, or passed on.
struct TurnCheck {
    /// Whether anybody waits for a turn, and waited as the call began that is under way.
    private(set) var isAwaited = false
    private var wasAwaited = false
    /// What was done in the call that is under way.
    private var work = 0

    mutating func begin(isTurns: Bool) {
        wasAwaited = isAwaited
        work = 0
        if isTurns { isAwaited = false }
    }

    /// Somebody waits for a turn.
    mutating func wait() { isAwaited = true }

    /// Whether whoever says something in this call has to wait with it.
    var hasToWait: Bool { wasAwaited }

    /// In each of two turns one thing may be begun that is worth another one.
    private static let most = 4 * Limits.turn

    /// A message of this type was looked at, the first of those that wait.
    ///
    /// - Parameter isOwn: whether the call is that the connection's bytes came.
    /// - Returns: what is too much; nil where nothing is.
    mutating func looks(
        at type: MessageType, _ waiting: inout [SeenMessage], isOwn: Bool, isTurns: Bool
    ) -> String? {
        guard let index = waiting.firstIndex(where: { $0.type == type }) else { return nil }
        let last = waiting.remove(at: index).work
        guard isOwn || isTurns else { return nil }
        if isOwn, wasAwaited { return "\(type) is looked at before those who wait for their turn" }
        let done = work
        // A message that takes more than a turn is begun where there is any of it left.
        work = done + min(last, Limits.turn)
        guard done < (isOwn ? Limits.turn : TurnCheck.most) else {
            return "\(type) is looked at after what is worth \(done)"
        }
        return nil
    }

    /// Somebody was welcomed, or passed something on, which takes so much work.
    mutating func does(_ more: Int) -> String? {
        let done = work
        work += more
        return done < TurnCheck.most ? nil : "\(done) at once, and \(more) more"
    }
}
