/// A mailbox between two threads of the server (`Mailbox`): its owner comes to it when the dice say, and takes all that is
/// there by then.
final class LateMailbox<Message> {
    private var messages: [Message] = []
    /// Has something done after so many microseconds.
    private let after: (Int64, @escaping () -> Void) -> Void
    /// How late its owner comes, in microseconds; nil where it is there at once.
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

    /// Leaves a message.
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
