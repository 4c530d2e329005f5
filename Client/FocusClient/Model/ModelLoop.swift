import CommandLineKit
import FocusDevice
import FocusLink
import FocusNet
import Synchronization

/// A process that shows a model until it is done: the model's thread, and what tells it when to look.
enum ModelLoop {
    /// Ends the showing: in good order, or with why it can't go on.
    typealias End = @Sendable (CommandFailure?) -> Void

    /// Runs an event loop with a model on it, and waits for its end.
    ///
    /// - Parameters:
    ///   - tellOthers: lets the agent know that something was pressed here; called on the loop's thread.
    ///   - makeView: called once, on the loop's thread. What it gives is called at once, and after each change of
    ///     what it read of the model.
    /// - Throws: what `end` was called with.
    static func run(
        in context: CommandContext, tellOthers: @escaping @Sendable () -> Void = {},
        _ makeView:
            @escaping @Sendable (DeviceModel, EventLoop, AgentNews, @escaping End) throws -> () -> Void
    ) throws(CommandFailure) {
        let loop: EventLoop
        do throws(NetError) { loop = try EventLoop() } catch { throw CommandFailure(error.sentence) }
        let outcome = Outcome()
        let end: End = { failure in
            outcome.set(failure)
            loop.stop()
        }
        loop.run {
            do {
                let model = try DeviceModel(
                    try context.openDevice(), LoopTime(loop), tellOthers: tellOthers)
                let news = AgentNews(for: model, on: loop)
                news.start()
                let following = Following(LoopTime(loop), try makeView(model, loop, news, end))
                // The loop keeps them until it stops.
                loop.schedule(every: .seconds(86_400)) { _ = following }
            } catch {
                end(error as? CommandFailure ?? CommandFailure("\(error)"))
            }
        }
        loop.wait()
        if let failure = outcome.failure { throw failure }
    }

    /// Runs `body` with a thread for what may take its time, and with what lets the agent know, there, that something
    /// was pressed. What was pressed last is still handed on before it ends.
    static func withOthersTold(
        in context: CommandContext,
        _ body: (_ worker: EventLoop, _ tellOthers: @escaping @Sendable () -> Void) throws(CommandFailure) ->
            Void
    ) throws(CommandFailure) {
        let worker: EventLoop
        do throws(NetError) { worker = try EventLoop() } catch { throw CommandFailure(error.sentence) }
        defer {
            worker.run { worker.stop() }
            worker.wait()
        }
        try body(worker) {
            worker.run {
                guard let device = try? Device(context.machine) else { return }
                context.network.logChanged(on: device, in: context)
            }
        }
    }

    /// Where the loop's thread leaves how it ended; what came first counts.
    private final class Outcome: Sendable {
        private let end = Mutex<CommandFailure??>(nil)

        var failure: CommandFailure? { end.withLock { $0 ?? nil } }

        func set(_ failure: CommandFailure?) { end.withLock { if $0 == nil { $0 = .some(failure) } } }
    }
}
