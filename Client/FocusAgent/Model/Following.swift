package import FocusDevice
import Observation

/// A view that follows a model: a closure that is called at once, and again after each change of what it read.
///
/// However much changes at once, it is called once, in a later turn of the thread that the model lives on. It
/// follows until it is cancelled or let go.
package final class Following: @unchecked Sendable {
    // Unchecked: models change on their one thread, so `onChange` is called there as all else is.

    private let time: any Timekeeper
    /// Nil once it is cancelled: what the view holds is let go then, itself too.
    private var body: (() -> Void)?
    private var isDue = false

    /// Calls `body`, which draws from `@Observable` models, and keeps calling it.
    ///
    /// - Parameter time: of the thread that the models live on.
    package init(_ time: any Timekeeper, _ body: @escaping () -> Void) {
        self.time = time
        self.body = body
        run()
    }

    /// It is not called any more.
    package func cancel() { body = nil }

    private func run() {
        guard let body else { return }
        isDue = false
        withObservationTracking(body) { [weak self] in self?.changed() }
    }

    /// Something is about to change; it has changed once this turn is over.
    private func changed() {
        guard !isDue else { return }
        isDue = true
        time.schedule(after: .zero) { [weak self] in self?.run() }
    }
}
