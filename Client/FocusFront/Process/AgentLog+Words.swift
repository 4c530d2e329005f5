import CommandLineKit
package import FocusContact
import FocusCore
import FocusLink
import FocusNet

// The agent's log in words. The lines have no capital and no full stop, unless they are sentences that are
// also used elsewhere.

extension AgentLogEvent {
    /// The beginning, after the time, of the line about an agent's start.
    package static let startedWords = "started, process "
    /// The beginning, after the time, of the line about missing notifications.
    package static let noNotificationsWords = "notifications can't be shown: "

    /// The line, after the time, about notifications that can be shown again.
    package static let notifiesWords = "notifications are shown again"

    /// The event as a line, without its line break.
    package var line: String {
        switch self {
        case .started(let process): "\(AgentLogEvent.startedWords)\(process)"
        case .lockRecreated: "the lock file was deleted, and was made again"
        case .socketRecreated: "the socket was deleted, and was made again"
        case .cannotServe(.lockGone): "the lock is gone, and another agent may run"
        case .cannotServe(.logGone): "the log is gone"
        case .cannotServe(.socketGone(let error)): "the socket is gone: \(error)"
        case .failed(let error): "error: \(error)"
        case .agent(let event): event.line
        case .caughtUp(let count): "caught up, and wrote \(counted(count, "event"))"
        case .noticed(let notice): notice.sentence
        case .hook(let trouble): "hook \(trouble.words)"
        case .noNotifications(let trouble): "\(AgentLogEvent.noNotificationsWords)\(trouble.words)"
        case .notifies: AgentLogEvent.notifiesWords
        case .servesPage(let port): "the page is served at port \(port)"
        case .cannotServePage(let error): "the page isn't served: \(error)"
        case .startedServer(let process): "started the server that this laptop shares, process \(process)"
        case .cannotStartServer(let failure):
            "the server that this laptop shares can't be started: \(failure.sentence)"
        case .serverEndedSoon(let path):
            "the server that this laptop shares ended soon after its start, and is started again within a minute; \(path) says why"
        }
    }
}

extension HookRefusal {
    /// The problem, with the path and the remedy.
    package var reason: String {
        switch self {
        case .noFile(let path): "\(path) isn't a file"
        case .changeable(let path):
            "\(path) can be changed by others; 'chmod go-w' and 'chown' fix that"
        case .notExecutable(let path): "\(path) can't be run; 'chmod u+x' fixes that"
        }
    }
}

extension HookTrouble {
    /// The hook, and the problem with it.
    fileprivate var words: String {
        switch self {
        case .refused(let kind, let refusal): "\(kind.rawValue): not run: \(refusal.reason)"
        case .crowdedOut(let kind): "\(kind.rawValue): not run, because too many others wait"
        // The file is there and is executable (`Hook`), so usually its first line names a missing program.
        case .notStarted(let path, let error):
            "\(path): \(error.context). Its first line must name a program, such as #!/bin/sh"
        case .ended(let path, let end): "\(path): \(end)\(HookTrouble.hint(end))"
        case .tookTooLong(let path, let patience):
            "\(path): took longer than \(patience.components.seconds) s, and was ended"
        }
    }

    /// Returns a hint at the likely cause, which follows the words about a hook's end; empty if there is none.
    private static func hint(_ end: ChildProcess.End) -> String {
        switch end {
        case .exited(126), .exited(127):
            ", which usually means that a program is missing: one that it calls, or the one in its first line, such "
                + "as #!/bin/sh"
        case .exited, .signalled: ""
        }
    }
}

extension NotifierTrouble {
    /// The reason in words, after a colon.
    package var words: String {
        switch self {
        case .ended(let program, let end): "\(program) \(end)"
        case .notStarted(let error): error.context
        }
    }
}
