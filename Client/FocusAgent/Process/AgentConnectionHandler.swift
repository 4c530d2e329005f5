import FocusContact
import FocusNet
import SystemKit

/// The agent's side of a local connection, on which a command sends requests.
final class AgentConnectionHandler: ConnectionHandler {
    /// Kept until the connection has ended. That may be after the loop has released the agent.
    private let agent: AgentProcess
    private var lines = LineBuffer(limit: AgentCall.lengthLimit)

    init(_ agent: AgentProcess) { self.agent = agent }

    func opened(_ connection: Connection, peer: KeyHash?) {}

    func received(_ bytes: RawSpan, on connection: Connection) {
        bytes.withUnsafeBytes { lines.append($0) }
        while let line = lines.next() {
            answer(AgentCall(rawValue: String(decoding: line, as: UTF8.self)), on: connection)
        }
        if lines.isOverfull { connection.abort() }
    }

    private func answer(_ call: AgentCall?, on connection: Connection) {
        switch call {
        case .poke: agent.poked()
        case .look:
            // The command is about to press something. A suspension before it must be in the log first.
            agent.recordSuspension()
            connection.send(Array(AgentCall.looked.utf8))
        case .follow: agent.follow(connection)
        // As `follow`, for a view that can also ring the terminal's bell for the agent.
        case .ring: agent.follow(connection, ringing: true)
        case .status: connection.send(Array(agent.status.line.utf8))
        case .web: connection.send(Array(agent.web.line.utf8))
        case .calendar: connection.send(Array(agent.calendarAddress(renewing: false).line.utf8))
        case .renewCalendar: connection.send(Array(agent.calendarAddress(renewing: true).line.utf8))
        case .forget:
            // A connection that ends without `forgotten` tells the command that this failed.
            guard agent.forgetBrowsers() else { return connection.abort() }
            connection.send(Array(AgentCall.forgotten.utf8))
        case .stop:
            connection.send(Array(AgentCall.stopping.utf8))
            connection.close()
            agent.stop()
        case nil: connection.abort()
        }
    }

    func writable(_ connection: Connection) {}

    func closed(_ connection: Connection, error: NetError?) { agent.left(connection) }
}
