package import FocusDevice
import FocusLink
package import FocusNet
import Synchronization
import SystemKit

/// Runs a model and its view on a thread of their own, in a process that does nothing else.
package enum ModelLoop {
    /// Ends the loop: in good order if the error is nil, otherwise because of the error.
    package typealias End = @Sendable ((any Error)?) -> Void

    /// Runs an event loop with a model, and waits for its end.
    ///
    /// - Parameters:
    ///   - open: Opens the laptop's log, on the loop's thread.
    ///   - announceChanges: Tells the agent that something was pressed here. Called on the loop's thread.
    ///   - makeView: Returns the view: a closure that is called at once, and again after each change of the
    ///     properties that it read. Called once, on the loop's thread.
    /// - Throws: The error that `end` was called with, or the reason why the loop can't begin.
    package static func run(
        opening open: @escaping @Sendable () throws -> Device,
        announceChanges: @escaping @Sendable () -> Void = {},
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
                let model = try DeviceModel(try open(), LoopTime(loop), announceChanges: announceChanges)
                let news = AgentNews(for: model, on: loop)
                news.start()
                let subscription = ModelSubscription(LoopTime(loop), try makeView(model, loop, news, end))
                loop.keepAlive(subscription)
            } catch {
                end(error)
            }
        }
        loop.wait()
        if let failure = outcome.failure { throw failure }
    }

    /// Runs `body` with a worker thread for slow work. The function `announceChanges`, which `body` gets,
    /// returns at once: it makes the worker thread call `announce`. `withWorker` returns once all these calls
    /// are done.
    ///
    /// - Parameter announce: Tells the agent about a press. Called on the worker thread.
    package static func withWorker(
        announcingBy announce: @escaping @Sendable () -> Void,
        _ body: (_ worker: EventLoop, _ announceChanges: @escaping @Sendable () -> Void) throws -> Void
    ) throws {
        let worker = try EventLoop()
        defer {
            worker.run { worker.stop() }
            worker.wait()
        }
        try body(worker) { worker.run(announce) }
    }

    /// The result of the loop, for the thread that waits for it. Only the first result counts.
    private final class Outcome: Sendable {
        private let end = Mutex<(any Error)??>(nil)

        var failure: (any Error)? { end.withLock { $0 ?? nil } }

        func set(_ failure: (any Error)?) { end.withLock { if $0 == nil { $0 = .some(failure) } } }
    }
}

/// Lets a model in another process than the agent's read the log whenever the agent reports a change. While no
/// agent runs, it looks for changes itself, twice a second.
///
/// It lives on the model's loop, and works until the loop stops.
package final class AgentNews: ConnectionHandler {
    private let model: DeviceModel
    private let loop: EventLoop
    /// The timer of checks for changes of the log; nil while an agent is connected.
    private var checkTimer: LoopTimer?
    /// The agent's messages.
    private var lines = LineBuffer(limit: AgentCall.lengthLimit)
    /// Rings the terminal's bell, if this process has one. Called when the agent asks for it. To be set
    /// before the loop's next turn.
    package var ring: (() -> Void)?

    /// The interval of checks for a change if no agent runs.
    private static let checkInterval = Duration.milliseconds(500)
    /// The interval of attempts to reach an agent.
    private static let retryInterval = Duration.seconds(5)

    /// Whether an agent runs, as far as is known.
    package var hasAgent: Bool { checkTimer == nil }

    /// Prepares to refresh a model. This and all functions here may be called only on the loop's thread.
    package init(for model: DeviceModel, on loop: EventLoop) {
        self.model = model
        self.loop = loop
    }

    /// Starts checking the log and connecting to the agent.
    package func start() {
        startChecking()
        connect()
    }

    private func connect() {
        guard let path = model.device.home.presentSocket else { return connectLater() }
        _ = Connection.connect(to: .local(path: path), over: .plain, on: loop, handler: self)
    }

    private func connectLater() {
        loop.schedule(after: AgentNews.retryInterval) { [self] in connect() }
    }

    private func startChecking() {
        guard checkTimer == nil else { return }
        checkTimer = loop.schedule(every: AgentNews.checkInterval) { [model] in model.lookIfChanged() }
    }

    /// Asks the agent for a message at each change, and also for bells if `ring` is set.
    package func opened(_ connection: Connection, peer: KeyHash?) {
        let call = ring == nil ? AgentCall.follow : .ring
        connection.send(Array("\(call.rawValue)\n".utf8))
    }

    /// Handles the agent's messages, one on each line. While the agent is connected, the log isn't checked
    /// otherwise.
    package func received(_ bytes: RawSpan, on connection: Connection) {
        checkTimer?.cancel()
        checkTimer = nil
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

    /// Does nothing, because only one line is sent.
    package func writable(_ connection: Connection) {}

    /// Checks the log twice a second again, and tries to reach another agent, unless the loop is stopping.
    package func closed(_ connection: Connection, error: NetError?) {
        if error?.code == .loopStopped { return }
        lines = LineBuffer(limit: AgentCall.lengthLimit)
        startChecking()
        connectLater()
    }
}
