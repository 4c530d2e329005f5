import CommandLineKit
import FocusCore
import FocusLink
import FocusSync

extension SyncEnd {
    /// The reason why the connection ended and its remedy, for people.
    package var explanation: String {
        switch self {
        case .unreachable(let trouble):
            "The server can't be reached: \(trouble.words)."
        case .otherServer(let address):
            ServerObstacle.otherKeySentence("The server at \(address)")
        case .broken(let trouble): "The connection to the server broke: \(trouble.words)."
        case .device(let failure): "This laptop couldn't continue syncing: \(failure.explanation)"
        case .failed(let problem): "This laptop couldn't continue syncing: \(problem)."
        case .closed(let closing): closing.explanation
        case .excess(let excess, let server): excess.explanation(server)
        }
    }

    /// The explanation, and for a server that can't be reached also the assurance that changes are kept.
    package var assurance: String {
        guard case .unreachable = self else { return explanation }
        return "\(explanation) Changes are kept here and sent when it can."
    }

    /// The exit status of a command that needed the server.
    var status: ExitStatus {
        switch self {
        case .unreachable, .broken: .unreachable
        case .otherServer, .excess: .refused
        case .device, .failed: .failed
        case .closed(let closing):
            switch closing {
            case .refused, .version, .otherGroup: .refused
            case .finished, .serverLeft, .silence: .unreachable
            case .malformed, .excess: .failed
            }
        }
    }
}

extension GroupSizeError {
    /// The sentence that says what the server sends too much of, and what to do.
    ///
    /// - Parameter server: The server's address; empty if it isn't known.
    fileprivate func explanation(_ server: String) -> String {
        let excess =
            switch self {
            case .epochs: "keys"
            case .devices: "laptops"
            case .replicas: "names that laptops write under"
            }
        let place = server.isEmpty ? "The server" : "The server at \(server)"
        return
            "\(place) sends more \(excess) than any group has, so this laptop disconnected. The server is broken or hostile: ask its operator. To take the group to another server, in a terminal: focus join INVITE. Nothing on this laptop is lost."
    }
}

extension ConnectionTrouble {
    /// The trouble, to be read after a colon: without a capital letter and without a full stop.
    fileprivate var words: String {
        switch self {
        case .noAddress: "no address is known"
        case .closedByServer: "the server closed the connection"
        case .otherProtocol: "what answers there is not a Lockstep server"
        case .network(let context): context
        }
    }
}

extension ClientCloseReason {
    fileprivate var explanation: String {
        switch self {
        case .finished: "The connection was ended."
        case .serverLeft: "The server ended the connection, as when it is restarted."
        case .silence: "The server didn't answer for too long."
        case .malformed: "The server answered in a form that this version doesn't understand."
        case .excess(let excess): excess.explanation("")
        case .otherGroup: ServerObstacle.otherGroup.sentence
        case .version(let mismatch): mismatch.explanation
        case .refused(let refusal): refusal.explanation
        }
    }
}

extension VersionMismatch {
    fileprivate var explanation: String {
        (upgrade == .client ? ServerObstacle.olderDevice : .olderServer).sentence
    }
}

extension Refusal {
    /// The meaning of the refusal and its remedy.
    package var explanation: String {
        switch code {
        case .unknownDevice: ServerObstacle.unknownDevice.sentence
        case .revoked: ServerObstacle.revoked.sentence
        case .tokenInvalid:
            "The server doesn't know this invite: it was used already, or never made there. Ask for a new one."
        case .tokenExpired: "This invite has expired. Ask for a new one."
        case .rate:
            "The server asks this laptop to wait: \(TerminalText.line(message)). Try again\(retryTime)."
        case .quota:
            "The server refused: \(TerminalText.line(message)). Its operator can raise the limit."
        case .busy: "The server is busy: \(TerminalText.line(message)). Try again\(retryTime)."
        case .noRoom: "The server's disk is full. Its operator has to make room."
        case .shuttingDown: "The server is shutting down. Try again in a while."
        default: "The server refused: \(TerminalText.line(message))."
        }
    }

    /// The time of the next attempt that the server asked for, to be read after "Try again".
    private var retryTime: String {
        guard case .after(let wait) = retry, wait > .zero else { return " in a while" }
        return " in \(DurationText.text(min(wait, Limits.longestWait) + .milliseconds(999)))"
    }
}
