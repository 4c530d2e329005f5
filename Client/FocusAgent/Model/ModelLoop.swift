package import FocusDevice
import FocusLink
package import FocusNet
import Synchronization

/// A process that shows a model until it is done: the model's thread, and what tells it when to look.
package enum ModelLoop {
    /// Ends the showing: in good order, or with why it can't go on.
    package typealias End = @Sendable ((any Error)?) -> Void

    /// Runs an event loop with a model on it, and waits for its end.
    ///
    /// - Parameters:
    ///   - open: opens the laptop's log, on the loop's thread.
    ///   - tellOthers: lets the agent know that something was pressed here; called on the loop's thread.
    ///   - makeView: called once, on the loop's thread. What it gives is called at once, and after each change of
    ///     what it read of the model.
    /// - Throws: what `end` was called with, or what keeps it from beginning.
    package static func run(
        opening open: @escaping @Sendable () throws -> Device,
        tellOthers: @escaping @Sendable () -> Void = {},
        _ makeView:
            @escaping @Sendable (DeviceModel, EventLoop, AgentNews, @escaping End) throws -> () -> Void
    ) throws {
        let loop = try EventLoop()
        let outcome = Outcome()
        let end: End = { failure in
            outcome.set(failure)
            loop.stop()
        }
        loop.run {
            do {
                let model = try DeviceModel(try open(), LoopTime(loop), tellOthers: tellOthers)
                let news = AgentNews(for: model, on: loop)
                news.start()
                let following = Following(LoopTime(loop), try makeView(model, loop, news, end))
                // The loop keeps them until it stops.
                loop.schedule(every: .seconds(86_400)) { _ = following }
            } catch {
                end(error)
            }
        }
        loop.wait()
        if let failure = outcome.failure { throw failure }
    }

    /// Runs `body` with a thread for what may take its time, and with what lets the agent know, there, that something
    /// was pressed. What was pressed last is still handed on before it ends.
    ///
    /// - Parameter tell: lets the agent know; called on that thread.
    package static func withOthersTold(
        by tell: @escaping @Sendable () -> Void,
        _ body: (_ worker: EventLoop, _ tellOthers: @escaping @Sendable () -> Void) throws -> Void
    ) throws {
        let worker = try EventLoop()
        defer {
            worker.run { worker.stop() }
            worker.wait()
        }
        try body(worker) { worker.run(tell) }
    }

    /// Where the loop's thread leaves how it ended; what came first counts.
    private final class Outcome: Sendable {
        private let end = Mutex<(any Error)??>(nil)

        var failure: (any Error)? { end.withLock { $0 ?? nil } }

        func set(_ failure: (any Error)?) { end.withLock { if $0 == nil { $0 = .some(failure) } } }
    }
}
