import FocusCore
package import FocusDevice
import FocusNet
import SystemKit

/// A command's connection to the agent. Nothing here waits longer than it is told to.
package struct AgentLink: ~Copyable {
    private let descriptor: Int32
    private var received: [UInt8] = []

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
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(received[..<end])
                received.removeSubrange(...end)
                return .line(line)
            }
            guard received.count < AgentLink.lineLimit else { return .gone }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, Int32(clamping: timeout.inMilliseconds))
            if ready == 0 || (ready < 0 && errno == EINTR) { return .nothing }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard ready > 0, count > 0 else { return .gone }
            received += chunk[..<count]
        }
    }

    /// The longest line that the agent says, in bytes.
    private static let lineLimit = 1 << 20
}
