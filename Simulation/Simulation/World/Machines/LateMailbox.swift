/// A mailbox between two threads of the server (`Mailbox`). Its owner wakes after a random delay, and
/// receives all messages that have arrived by then.
final class LateMailbox<Message> {
    private var messages: [Message] = []
    /// Runs the body after this number of microseconds.
    private let after: (Int64, @escaping () -> Void) -> Void
    /// Returns the delay of the owner in microseconds, or nil if it receives at once.
    private let delay: () -> Int64?
    private let receive: ([Message]) -> Void

    init(
        after: @escaping (Int64, @escaping () -> Void) -> Void, delay: @escaping () -> Int64?,
        receive: @escaping ([Message]) -> Void
    ) {
        self.after = after
        self.delay = delay
        self.receive = receive
    }

    /// Posts a message.
    func post(_ message: Message) {
        messages.append(message)
        guard messages.count == 1 else { return }
        guard let delay = delay() else { return take() }
        after(delay) { [self] in take() }
    }

    private func take() {
        let all = messages
        messages = []
        receive(all)
    }
}
