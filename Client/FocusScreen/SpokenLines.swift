import FocusFront
import Synchronization

/// Takes what is said on another thread to the view, which is there later than who speaks.
final class SpokenLines: Sendable {
    private let listener = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Hears everything from now on, on the thread that says it.
    func listen(_ take: @escaping @Sendable (String) -> Void) { listener.withLock { $0 = take } }

    /// Says a sentence; nobody hears it before there is a listener.
    func say(_ sentence: String) {
        let take = listener.withLock { $0 }
        take?([sentence].line)
    }
}
