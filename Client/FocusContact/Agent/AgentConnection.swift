import FocusCore
package import FocusDevice
import FocusNet
import SystemKit

/// A command's connection to the agent. Each wait for the agent has a timeout.
package struct AgentConnection: ~Copyable {
    private let descriptor: Int32
    private var lines = LineBuffer(limit: AgentConnection.lineLimit)

    /// Connects to the agent of this log, even if the agent was started in another environment. Nil if no
    /// agent answers.
    package init?(_ home: Home) {
        guard let path = home.presentSocket, let descriptor = LocalSocket.connected(to: path) else {
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Sends a request, and returns false if the agent has gone.
    package func send(_ request: AgentCall) -> Bool {
        let line = Array("\(request.rawValue)\n".utf8)
        return SystemKit.send(descriptor, line, line.count, Int32(MSG_NOSIGNAL)) == line.count
    }

    /// The result of waiting for the agent.
    package enum Answer: Hashable, Sendable {
        /// A line, without its newline.
        case line([UInt8])
        /// Nothing arrived in time.
        case nothing
        /// The agent has gone.
        case gone
    }

    /// Waits for the agent's next line. If a part of it or a signal arrives, `timeout` begins again.
    package mutating func wait(_ timeout: Duration) -> Answer {
        while true {
            if let line = lines.next() { return .line(line) }
            if lines.isOverfull { return .gone }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, Int32(clamping: timeout.inMilliseconds))
            if ready < 0, errno == EINTR { continue }
            if ready == 0 { return .nothing }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard ready > 0, count > 0 else { return .gone }
            lines.append(chunk[..<count])
        }
    }

    /// The longest line that the agent sends, in bytes.
    private static let lineLimit = 1 << 20
}

/// A command's request to the agent, one line each, over the local socket.
package enum AgentCall: String, Hashable, Sendable {
    /// Reports that the log has changed: the agent reads it and sends new events.
    case poke
    /// Asks the agent to look for a suspension before something is pressed. The agent answers `looked`.
    case look
    /// Asks for `changed` now, and each time that the log or the connected devices change.
    case follow
    /// Asks for the messages of `follow`. Asks also for `bell`, when the agent wants a sound that it can't make
    /// itself.
    case ring
    /// Asks for the agent's status. The answer is one line of JSON.
    case status
    /// Asks the agent to serve the page, and for a link that lets one browser in. The answer is one line of
    /// JSON (`PageLink`).
    case web
    /// Asks the agent to make the calendar feed, and for its address. The answer is one line of JSON
    /// (`PageLink`).
    case calendar
    /// As `calendar`. Replaces a present feed.
    case renewCalendar = "renew-calendar"
    /// Signs out all browsers that were let in, and ends the calendar feed. The agent answers `forgotten`.
    case forget
    /// Asks the agent to end. It answers `stopping`.
    case stop

    /// The longest request, in bytes.
    package static let lengthLimit = 64

    /// The agent's message to followers.
    package static let changed = "changed\n"
    /// The agent's message to one connection that sent `ring`.
    package static let bell = "bell\n"
    /// The agent's answer to `look`.
    package static let looked = "looked\n"
    /// The agent's answer to `forget`.
    package static let forgotten = "forgotten\n"
    /// The agent's answer to `stop`.
    package static let stopping = "stopping\n"
}

extension Device {
    /// The longest time to wait for the answer to `look`: the agent may be busy.
    private static let lookTimeout = Duration.milliseconds(200)

    /// Lets the agent detect a suspension that has just ended, before something is pressed in another
    /// process.
    package func letAgentDetectSuspension() {
        // If the machine was never suspended for long enough, there is nothing to ask.
        guard clocks.sinceBoot() - clocks.awake() > Suspension.longestIgnored,
            var connection = AgentConnection(home), connection.send(.look)
        else { return }
        _ = connection.wait(Device.lookTimeout)
    }
}
