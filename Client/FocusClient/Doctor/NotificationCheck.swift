import FocusAgent
import FocusContact
import FocusDevice
import FocusStore
import SystemKit

/// The check of notifications and of their sound, if they are wanted.
struct NotificationCheck {
    let device: Device
    /// The environment variables of the agent, which shows the notifications.
    let environment: Environment
    /// Whether an agent runs.
    let isAgentRunning: Bool

    /// The findings about notifications and the sound; empty for a part that is switched off.
    var findings: [Finding] {
        let isWanted = (try? LaptopSetting.notifications.isOn(device.store)) ?? false
        let hasSound = (try? LaptopSetting.sound.isOn(device.store)) ?? false
        guard isWanted || hasSound else { return [] }
        let answer = isWanted ? busAnswer : nil
        return (answer.flatMap(finding).map { [$0] } ?? [])
            + (hasSound ? [soundFinding(answer)] : [])
    }

    private var busAnswer: SessionBus.Answer {
        #if os(Linux)
            return SessionBus(environment).query()
        #else
            return .notAsked
        #endif
    }

    // MARK: - Notifications

    /// The finding about the first obstacle, or about the program that shows notifications. Nil if no agent
    /// runs and this command has no bus: the next agent may have one.
    private func finding(_ answer: SessionBus.Answer) -> Finding? {
        let without = "or do without: focus set notifications=off"
        switch answer {
        case .noBus where !isAgentRunning: return nil
        case .noBus:
            return obstacle(
                "the agent was started without the address of the desktop's bus (DBUS_SESSION_BUS_ADDRESS)",
                "Start it from the desktop: focus agent stop, then make any change there, \(without)")
        case .noAnswer:
            return obstacle(
                "the desktop's bus doesn't answer (DBUS_SESSION_BUS_ADDRESS)",
                "Start the agent from the desktop that runs now: focus agent stop, then make any change there, \(without)"
            )
        case .noDaemon:
            return obstacle(
                "no program on the desktop's bus shows them",
                "Start one, as the desktop's own or dunst, \(without)")
        case .noLibrary, .notAsked:
            guard ProgramPath.isFound(NotificationProgram.name, in: environment) else {
                return obstacle(
                    "\(NotificationProgram.name) isn't in any folder of PATH",
                    "Install it (Debian's libnotify-bin), or libdbus (libdbus-1-3), \(without)")
            }
            return failure
                ?? .fine(
                    .notifications, "Notifications are shown by \(NotificationProgram.name), without buttons."
                )
        case .startable:
            return failure
                ?? .fine(
                    .notifications, "Notifications are shown by a program that the bus is said to start.")
        case .daemon(let service):
            let buttons = service.hasButtons ? "with buttons" : "without buttons"
            return failure
                ?? .fine(.notifications, "Notifications are shown by \(service.name), \(buttons).")
        }
    }

    private func obstacle(_ text: String, _ remedy: String) -> Finding {
        .note(.notifications, "Notifications can't be shown: \(text).", remedy: remedy)
    }

    /// The finding that the agent couldn't show a notification, according to its log.
    private var failure: Finding? {
        AgentLogFile(device.home.agentLog).notificationFailure.map {
            .note(
                .notifications, "The agent couldn't show the last notification: \($0).",
                remedy: "Try it: focus notify --test. If that works, start the agent again: focus agent stop")
        }
    }

    // MARK: - The sound

    private func soundFinding(_ answer: SessionBus.Answer?) -> Finding {
        if case .daemon(let service) = answer, service.hasSound {
            return .fine(.notifications, "The end of a phase rings: \(service.name) plays the sound.")
        }
        if let (reason, remedy) = NotificationCheck.soundObstacle(in: environment) {
            return .note(
                .notifications,
                "The end of a phase rings only in the full screen, with the terminal's bell, and on an open page: \(reason).",
                remedy: "\(remedy), or do without: focus set sound=off")
        }
        let program = SoundPlayer.program(in: environment) ?? ""
        return .fine(.notifications, "The end of a phase rings: \(program) plays the sound.")
    }

    /// The reason why no program plays the sound, and the remedy; nil if one does.
    static func soundObstacle(in environment: Environment) -> (reason: String, remedy: String)? {
        if SoundPlayer.file(in: environment) == nil {
            return (
                "the sound isn't installed",
                "Install bell.wav in share/sounds/lockstep beside the program's folder"
            )
        }
        guard SoundPlayer.program(in: environment) == nil else { return nil }
        return ("there is no pw-play, paplay or canberra-gtk-play", "Install one of them")
    }
}
