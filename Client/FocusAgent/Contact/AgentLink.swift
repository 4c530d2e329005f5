import FocusCore
package import FocusDevice
import FocusNet
import SystemKit

/// A command's connection to the agent. Nothing here waits longer than it is told to.
package struct AgentLink: ~Copyable {
    private let descriptor: Int32
    private var lines = LineBuffer(limit: AgentLink.lineLimit)

    /// Connects to the agent of this log, in whichever environment it was started; nil where none answers.
    package init?(_ home: Home) {
        guard let path = home.presentSocket, let descriptor = LocalSocket.connected(to: path) else {
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Asks the agent; false where it has gone.
    package func send(_ request: AgentCall) -> Bool {
        let line = Array("\(request.rawValue)\n".utf8)
        return SystemKit.send(descriptor, line, line.count, Int32(MSG_NOSIGNAL)) == line.count
    }

    /// What came of waiting for the agent.
    package enum Answer: Hashable, Sendable {
        /// A line, without its newline.
        case line([UInt8])
        /// Nothing came in time.
        case nothing
        /// The agent has gone.
        case gone
    }

    /// Waits for the agent's next line, for so long at most.
    package mutating func wait(_ timeout: Duration) -> Answer {
        while true {
            if let line = lines.next() { return .line(line) }
            if lines.isOverfull { return .gone }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, Int32(clamping: timeout.inMilliseconds))
            if ready == 0 || (ready < 0 && errno == EINTR) { return .nothing }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard ready > 0, count > 0 else { return .gone }
            lines.append(chunk[..<count])
        }
    }

    /// The longest line that the agent says, in bytes.
    private static let lineLimit = 1 << 20
}

/// What a command may ask the agent, one line each, over the local socket.
package enum AgentCall: String, Hashable, Sendable {
    /// The log has changed: look at it, and send what is new.
    case poke
    /// Look whether the machine has slept, before something is pressed, and say `looked`.
    case look
    /// Say `changed` now, and whenever the log or who is online has changed.
    case follow
    /// The same, and `bell` where a sound is to be made that the agent can't make.
    case ring
    /// Say how things stand, as one line of JSON.
    case status
    /// Serve the page, and give a link that lets one browser in, as one line of JSON (`PageLink`).
    case web
    /// Let no browser in any more that was let in before, and say `forgotten`.
    case forget
    /// End.
    case stop

    /// The longest call, in bytes.
    static let lengthLimit = 64

    /// What the agent says to those who follow.
    static let changed = "changed\n"
    /// What it says to one of those who ring.
    static let bell = "bell\n"
    /// What the agent says to `look`.
    static let looked = "looked\n"
    /// What the agent says to `forget`.
    static let forgotten = "forgotten\n"
    /// What the agent says to `stop`.
    static let stopping = "stopping\n"
}

extension Device {
    /// How long an agent that has other things to do is waited for.
    private static let agentsPatience = Duration.milliseconds(200)

    /// Lets the agent notice a sleep that has just ended, before something is pressed in another process.
    package func letAgentLookForSleep() {
        // Most machines that never sleep needn't ask.
        guard clocks.sinceBoot() - clocks.awake() > Sleep.shortest,
            var link = AgentLink(home), link.send(.look)
        else { return }
        _ = link.wait(Device.agentsPatience)
    }
}
