import CommandLineKit
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusScreen
import FocusStore
import FocusText
import SystemKit

/// `focus doctor`: checks everything, and says what has to be fixed.
struct DoctorCommand {
    let json: Bool

    /// Prints the findings. Throws if one of them is wrong.
    func run(in context: CommandContext) throws(CommandFailure) {
        let home = try mapFailure { () throws(DeviceFailure) in try Home(context.environment) }
        let findings = findings(home, context)
        let wrong = findings.count { $0.verdict == .wrong }
        if json {
            let document = JSON.object([
                JSON.Member("wrong", .integer(wrong)), JSON.Member("findings", .array(findings.map(\.json))),
            ])
            try context.print("\(document)\n")
        } else {
            try context.print(
                findings.map { $0.text(context.console.paint, columns: context.console.columns) }.joined())
        }
        guard wrong == 0 else { throw CommandFailure("\(counted(wrong, "problem")) to fix.") }
    }

    private func findings(_ home: Home, _ context: CommandContext) -> [Finding] {
        let files = FileCheck(home)
        let agentClient = context.agent(of: home)
        let device: Device?
        do throws(CommandFailure) {
            device = try context.readDevice()
        } catch {
            guard home.canHaveDataFolder else { return [.wrong(.files, error.message)] }
            return files.findings + [files.disk, .wrong(.log, error.message)]
        }
        guard let device else {
            return [.note(.files, "There is no log in \(home.data) yet. The first change creates it.")]
        }
        let check = DeviceCheck(device: device)
        if let damage = check.damage {
            // The other checks need an intact log.
            return files.findings + [files.disk, damage, AgentCheck(agentClient, home).finding]
                + HookCheck(home: home).findings
        }
        let keys = check.keys
        let isMember = (try? device.store.group()) ?? nil != nil
        let isKeyless = keys.contains { $0.verdict == .wrong }
        let server = isMember && !isKeyless ? ServerCheck(device, in: context) : nil
        // This must follow the server check, in which the laptop may learn that it was shut out.
        let isOut = server?.obstacle == .revoked || check.isShutOut
        let obstacle: ServerObstacle? = isOut ? .revoked : isKeyless ? .ownFault : server?.obstacle
        var serverFindings: [Finding] = []
        if isMember && isKeyless {
            serverFindings = [.note(.server, "The server can't be checked without this laptop's key.")]
        } else if let server, !isOut {
            // If the laptop is shut out, the finding about the group says so.
            serverFindings = [server.finding]
        }
        serverFindings += SharingCheck(sharing: context.sharing(of: home)).findings
        serverFindings += zone(context.environment)
        let agent = AgentCheck(agentClient, home, isMember: isMember, isOfflineExplained: obstacle != nil)
        let environment = agent.environment ?? context.environment
        return files.findings + [files.disk] + check.log(isShutOut: isOut) + keys + serverFindings
            + [check.group(isShutOut: isOut)] + check.clock + check.pending(behind: obstacle)
            + [agent.finding]
            + IdleCheck(device: device, origins: agent.origins, environment: environment).findings
            + HookCheck(home: home).findings
            + NotificationCheck(
                device: device, environment: environment, isAgentRunning: agent.environment != nil
            ).findings
            + TrayCheck(device: device, environment: environment).findings
    }

    /// The finding that this system doesn't know the time zone in TZ; empty if it does, or TZ names none.
    private func zone(_ environment: Environment) -> [Finding] {
        guard let name = environment["TZ"], name.contains("/"), Zone.isName(name), Zone(named: name) == nil
        else { return [] }
        return [
            .note(
                .clock, "The time zone '\(name)' (TZ) isn't known here, so times and days are those of UTC.",
                remedy: "Correct or unset TZ, or install the system's time zones (Debian's tzdata).")
        ]
    }
}

/// The check of the group's server.
struct ServerCheck {
    let finding: Finding
    /// The obstacle between the laptop and the server; nil if there is none.
    let obstacle: ServerObstacle?

    /// Asks the server.
    init(_ device: Device, in context: CommandContext) {
        do throws(GroupOperationError) {
            let address = try context.operations.check()
            let known = (try? Membership(device))?.server.addresses.joined(separator: ", ") ?? ""
            let addresses = known.isEmpty ? "" : " Its addresses: \(known)."
            finding = .fine(
                .server, "The server (\(address)) answers, and shows the pinned key.\(addresses)")
            obstacle = nil
        } catch {
            let failure = error.asCommandFailure()
            for sentence in failure.notes { context.console.report(sentence) }
            switch error.cause {
            case .ended(let end): obstacle = end.obstacle ?? .unreachable
            case .timedOut: obstacle = .unreachable
            case .sharing(.stopped):
                obstacle = .unreachable
                finding = .note(.server, failure.message)
                return
            // All other causes are in this laptop, its group or the request.
            default: obstacle = .ownFault
            }
            let server = (try? Membership(device))?.server
            let addresses = server?.addresses.joined(separator: ", ") ?? ""
            let place = addresses.isEmpty ? "" : " at \(addresses)"
            let laptop = try? device.serverLaptop(device.store.state())
            let remedy =
                SharedServer(device.home).unreachableSentence(server)
                ?? laptop.map {
                    "The server runs on \($0), which may be asleep or elsewhere. If it isn't, run 'focus share' "
                        + "there, which starts it if it ended, and check that this laptop's network reaches it\(place)."
                }
                ?? "If a laptop shared it, 'focus share' there continues that. On a server's own machine, 'focusd status' says whether the server runs. Check that this laptop's network reaches it\(place)."
            let isAway = obstacle == .unreachable || obstacle == .shutDown
            finding = .wrong(.server, failure.message, remedy: isAway ? remedy : nil)
        }
    }
}

/// A result of `focus doctor` about one subject.
struct Finding: Hashable {
    /// The subject of a finding.
    enum Subject: String, CaseIterable {
        case files, disk, log, keys, group, server, sharing, clock, pending, agent, idle, hooks, notifications
        case tray
    }

    /// The verdict of a finding.
    enum Verdict: String {
        case fine
        /// Worth knowing, and harmless.
        case note
        /// It has to be fixed.
        case wrong
    }

    let subject: Subject
    let verdict: Verdict
    /// The finding, in whole sentences.
    let text: String
    /// The remedy, in whole sentences; nil if none is needed, or if `text` has it.
    let remedy: String?

    static func fine(_ subject: Subject, _ text: String) -> Finding {
        Finding(subject: subject, verdict: .fine, text: text, remedy: nil)
    }

    static func note(_ subject: Subject, _ text: String, remedy: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .note, text: text, remedy: remedy)
    }

    static func wrong(_ subject: Subject, _ text: String, remedy: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .wrong, text: text, remedy: remedy)
    }

    /// The element of the array that `focus doctor --json` prints.
    var json: JSON {
        .object([
            JSON.Member("subject", .string(subject.rawValue)),
            JSON.Member("verdict", .string(verdict.rawValue)),
            JSON.Member("text", .string(text)), JSON.Member("remedy", .optional(remedy)),
        ])
    }
}

extension Finding {
    /// Returns the finding for people, with the remedy below it and a newline at the end.
    func text(_ paint: TextColouring, columns: Int) -> String {
        let indent = String(repeating: " ", count: Verdict.width + 2)
        let lines = ([text] + (remedy.map { [$0] } ?? [])).flatMap {
            TextLayout.wrap($0, first: indent, rest: indent, width: columns)
        }
        return verdict.mark(paint) + lines.joined(separator: "\n").dropFirst(Verdict.width) + "\n"
    }
}

extension Finding.Verdict {
    /// The number of columns of a mark.
    fileprivate static let width = 5

    /// Returns the mark before a finding.
    fileprivate func mark(_ paint: TextColouring) -> String {
        switch self {
        case .fine: paint.coloured(padded("fine", to: Self.width), .rest)
        case .note: padded("note", to: Self.width)
        case .wrong: paint.coloured("WRONG", .work)
        }
    }
}
