package import FocusNet

/// Tells a model, in another process than the agent's, when to look at the log: as the agent says so, or where none
/// runs, by looking often whether the log has changed.
///
/// It lives on the model's loop, and works until that stops.
package final class AgentNews: ConnectionHandler {
    private let model: DeviceModel
    private let loop: EventLoop
    private var looking: LoopTimer?

    /// How often to look where no agent tells.
    private static let look = Duration.milliseconds(500)
    /// How often to try whether an agent runs by now.
    private static let retry = Duration.seconds(5)

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
        _ = Connection.connect(
            to: .local(path: model.device.home.agentSocket), over: .plain, on: loop, handler: self)
    }

    private func lookOften() {
        guard looking == nil else { return }
        looking = loop.schedule(every: AgentNews.look) { [model] in model.lookIfChanged() }
    }

    package func opened(_ connection: Connection, peer: KeyHash?) {
        connection.send(Array("\(AgentCall.follow.rawValue)\n".utf8))
    }

    package func received(_ bytes: RawSpan, on connection: Connection) {
        // It has said `changed`, and will again.
        looking?.cancel()
        looking = nil
        model.look()
    }

    package func writable(_ connection: Connection) {}

    package func closed(_ connection: Connection, error: NetError?) {
        if error?.code == .loopStopped { return }
        lookOften()
        loop.schedule(after: AgentNews.retry) { [self] in connect() }
    }
}
