package import FocusDevice
import FocusLink
package import FocusNet
import Synchronization
import SystemKit

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
                loop.keepAlive(following)
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

/// Tells a model, in another process than the agent's, when to look at the log: as the agent says so, or where none
/// runs, by looking often whether the log has changed.
///
/// It lives on the model's loop, and works until that stops.
package final class AgentNews: ConnectionHandler {
    private let model: DeviceModel
    private let loop: EventLoop
    private var looking: LoopTimer?
    /// What the agent says.
    private var lines = LineBuffer(limit: AgentCall.lengthLimit)
    /// Rings the terminal's bell, where this process has one: called as the agent asks for that. To be set before the
    /// loop's next turn.
    package var ring: (() -> Void)?

    /// How often to look where no agent tells.
    private static let look = Duration.milliseconds(500)
    /// How often to try whether an agent runs by now.
    private static let retry = Duration.seconds(5)

    /// Whether an agent runs, as far as is known.
    package var hasAgent: Bool { looking == nil }

    /// On the loop's thread only, as everything here.
    package init(for model: DeviceModel, on loop: EventLoop) {
        self.model = model
        self.loop = loop
    }

    /// Begins.
    package func start() {
        lookOften()
        connect()
    }

    private func connect() {
        guard let path = model.device.home.presentSocket else { return tryAgainLater() }
        _ = Connection.connect(to: .local(path: path), over: .plain, on: loop, handler: self)
    }

    private func tryAgainLater() {
        loop.schedule(after: AgentNews.retry) { [self] in connect() }
    }

    private func lookOften() {
        guard looking == nil else { return }
        looking = loop.schedule(every: AgentNews.look) { [model] in model.lookIfChanged() }
    }

    /// The agent was reached: asks it to tell of each change, and to ring where `ring` is set.
    package func opened(_ connection: Connection, peer: KeyHash?) {
        let call = ring == nil ? AgentCall.follow : .ring
        connection.send(Array("\(call.rawValue)\n".utf8))
    }

    /// The agent tells, a line for each thing that happened. As long as it is there, the log isn't looked at besides.
    package func received(_ bytes: RawSpan, on connection: Connection) {
        looking?.cancel()
        looking = nil
        bytes.withUnsafeBytes { lines.append($0) }
        var hasChanged = false
        while let line = lines.next() {
            if "\(String(decoding: line, as: UTF8.self))\n" == AgentCall.bell {
                ring?()
            } else {
                hasChanged = true
            }
        }
        if hasChanged { model.refresh() }
    }

    /// Nothing: one line is all that it ever sends.
    package func writable(_ connection: Connection) {}

    /// The agent has gone: looks often again, and for another agent now and then, unless the loop is stopping.
    package func closed(_ connection: Connection, error: NetError?) {
        if error?.code == .loopStopped { return }
        lines = LineBuffer(limit: AgentCall.lengthLimit)
        lookOften()
        tryAgainLater()
    }
}
