import CommandLineKit
import FocusAgent
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import SystemKit

/// The check of the agent.
struct AgentCheck {
    private let client: AgentClient
    private let home: Home
    /// Whether the laptop is in a group, so that the agent should have a connection.
    private let isMember: Bool
    /// Whether another finding explains why the agent isn't connected.
    private let isOfflineExplained: Bool
    /// The agent's answer, asked for once.
    private let status: Result<AgentStatus, AgentFailure>

    init(_ client: AgentClient, _ home: Home, isMember: Bool = false, isOfflineExplained: Bool = false) {
        self.client = client
        self.home = home
        self.isMember = isMember
        self.isOfflineExplained = isOfflineExplained
        status = Result { () throws(AgentFailure) in try client.status() }
    }

    /// The environment variables of the running agent; nil if none runs, or if the system doesn't tell.
    var environment: Environment? {
        guard let process = try? status.get().process,
            let bytes = try? FileDescriptor.bytes(of: "/proc/\(process)/environ").rest()
        else { return nil }
        let pairs = bytes.split(separator: 0).map {
            String(decoding: $0, as: UTF8.self).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return Environment(
            Dictionary(pairs.map { (String($0[0]), $0.count > 1 ? String($0[1]) : "") }) { first, _ in first }
        )
    }

    /// The origins of which the agent learns whether somebody is there; nil if no agent answers.
    var origins: [String]? { (try? status.get())?.origins }

    var finding: Finding {
        let status: AgentStatus
        do throws(AgentFailure) {
            status = try self.status.get()
        } catch {
            switch error {
            case .absent, .unreachable: return noAgent
            default: return .wrong(.agent, CommandFailure(error, home).message)
            }
        }
        guard status.version == Lockstep.version else {
            return .wrong(
                .agent,
                "The running agent is version \(status.version), and this is \(Lockstep.version).",
                remedy: "End it: focus agent stop. The next change starts the new one.")
        }
        let place = status.socketSentence(home).map { " \($0)" } ?? ""
        if !isMember { return .fine(.agent, "The agent is running.\(place)") }
        if let problem = status.problem {
            let reason = isOfflineExplained ? "" : " \(problem)"
            return .note(.agent, "The agent is running, and offline.\(reason)\(place)")
        }
        return .fine(.agent, "The agent is running, and \(status.link.state.rawValue).\(place)")
    }

    /// The finding that no agent runs.
    private var noAgent: Finding {
        if client.isAgentUnwanted {
            let sync = isMember ? " Each change syncs by itself." : ""
            return .note(
                .agent,
                "The agent isn't running, because FOCUS_NO_AGENT is set: there are no notifications, and hooks don't run.\(sync)"
            )
        }
        return .note(
            .agent, "The agent isn't running: there are no notifications, and hooks don't run.",
            remedy: "The next change starts it. 'focus agent install' starts it at each login.")
    }
}

/// The check that the agent learns when nobody is at the laptop, if that is wanted.
struct IdleCheck {
    let device: Device
    /// The origins of which the agent learns it; nil if no agent runs.
    let origins: [String]?
    /// The environment variables of the agent.
    let environment: Environment

    /// The finding; empty if the setting is off, if no agent runs, or if there is neither an origin nor a
    /// desktop.
    var findings: [Finding] {
        guard let origins, (try? LaptopSetting.idle.isOn(device.store)) ?? false else { return [] }
        guard origins.isEmpty else {
            let names = origins.map { ActivityOrigin(rawValue: $0)?.words ?? $0 }.joined(separator: ", ")
            return [.fine(.idle, "The agent learns when nobody is at this laptop, from \(names).")]
        }
        guard ["WAYLAND_DISPLAY", "DISPLAY"].contains(where: { environment[$0] != nil }) else { return [] }
        return [
            .note(
                .idle, "The agent doesn't learn when nobody is at this laptop: the desktop doesn't tell.",
                remedy:
                    "Let a script tell it, such as swayidle: 'focus idle begin' and 'focus idle end'. Or do "
                    + "without: focus set idle=off")
        ]
    }
}

extension ActivityOrigin {
    /// The origin's name for people.
    fileprivate var words: String {
        switch self {
        case .logind: "the login manager (logind)"
        case .mutter: "GNOME's idle monitor"
        case .screenSaver: "the screen saver"
        }
    }
}

/// The check of the programs in the folder of hooks.
struct HookCheck {
    let home: Home

    /// The findings; empty if there is no such folder, or if it is empty.
    var findings: [Finding] {
        let names = names
        guard !names.isEmpty else { return [] }
        let kinds = Happening.Kind.allCases.map(\.rawValue)
        var found: [Finding] = []
        for name in names {
            if let kind = Happening.Kind(rawValue: name) {
                do throws(HookRefusal) {
                    _ = try Hook(for: kind, in: home.hooks)
                } catch {
                    found.append(.wrong(.hooks, "The hook '\(name)' isn't run: \(error.reason)."))
                }
            } else {
                found.append(
                    .note(
                        .hooks, "\(home.hooks)/\(name) is never run: there is no event of that name.",
                        remedy: "Hooks are called \(kinds.joined(separator: ", "))."))
            }
        }
        guard found.isEmpty else { return found }
        return [.fine(.hooks, "The agent can run these hooks: \(names.joined(separator: ", ")).")]
    }

    /// The names in the folder, sorted. Hidden files, and names with a dot or with `~` at their end, are left
    /// out: editors give such names to their copies.
    private var names: [String] {
        SystemKit.names(inFolder: home.hooks).filter { !$0.contains(".") && !$0.hasSuffix("~") }.sorted()
    }
}

/// The end of the agent's log file.
struct AgentLogFile {
    private let lines: [Substring]

    /// The number of bytes that are read from its end.
    private static let length = 1 << 16

    init(_ path: String) {
        let bytes = (try? FileDescriptor.bytes(of: path).rest()) ?? []
        lines = String(decoding: bytes.suffix(AgentLogFile.length), as: UTF8.self).split(separator: "\n")
    }

    /// The reason why the agent that started last couldn't show a notification; nil if it reported none,
    /// or showed one since.
    var notificationFailure: String? {
        for line in lines.reversed() {
            // The line's time ends at the first space.
            let words = line.drop { $0 != " " }.dropFirst()
            if words.hasPrefix(AgentLogEvent.startedWords) || words == AgentLogEvent.notifiesWords {
                return nil
            }
            if words.hasPrefix(AgentLogEvent.noNotificationsWords) {
                return String(words.dropFirst(AgentLogEvent.noNotificationsWords.count))
            }
        }
        return nil
    }
}
