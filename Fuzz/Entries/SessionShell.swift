import FocusCore
import FocusSync

/// What surrounds a session while a script says what happens to it.
protocol SessionShell: ~Copyable {
    associatedtype Effect: SessionEffect
    /// What the session has asked for.
    var asked: AskedEffects<Effect> { get set }
    /// When the session wants to be woken.
    var nextDeadline: SteadyInstant? { get }
    /// Hands the session what the other side sent.
    mutating func deliver(_ bytes: ArraySlice<UInt8>) -> [Effect]
}

extension SessionShell where Self: ~Copyable {
    /// The other side sends this.
    mutating func receive(_ message: Message) throws { try take(deliver(message.encoded()[...])) }

    /// Takes down what the session asks for; throws where it may not ask for that.
    mutating func take(_ effects: [Effect]) throws {
        try asked.take(effects)
        try hold(!asked.isOver || nextDeadline == nil, "a session that is over waits for nothing")
    }
}

/// Something that a session asks for.
protocol SessionEffect: SendingEffect {
    /// Whether it ends the connection.
    var isClose: Bool { get }
}

extension ClientEffect: SessionEffect {
    var isClose: Bool { if case .close = self { true } else { false } }
}

extension ServerEffect: SessionEffect {
    var isClose: Bool { if case .close = self { true } else { false } }
}

/// What a session has asked for, as far as it hasn't been answered.
struct AskedEffects<Effect: SessionEffect> {
    private var pending: [Effect] = []
    private var sent = SentBytes()
    /// Whether the session has ended the connection.
    private(set) var isOver = false

    fileprivate mutating func take(_ effects: [Effect]) throws {
        try hold(!isOver || effects.isEmpty, "nothing is asked for after the end")
        for effect in effects {
            if let bytes = effect.bytesToSend { try sent.take(bytes) }
            if effect.isClose { isOver = true } else { pending.append(effect) }
        }
    }

    /// What was asked for first, which is answered now.
    mutating func next() -> Effect? { pending.isEmpty ? nil : pending.removeFirst() }
}
