import CommandLineKit
import DBusKit
import FocusAgent
import FocusContact
import FocusDevice
import FocusFront
import FocusLink
import FocusNet
import FocusStore
import SystemKit

/// `focus notify --test`: shows a notification and plays the sound, as the agent would, and says which parts
/// worked.
struct NotifyCommand {
    /// The result of a trial.
    private struct Trial: Sendable {
        var failure: NotifierTrouble?
        /// Whether the notification has buttons; nil if it wasn't shown on the bus.
        var hasButtons: Bool?
        /// The title of the pressed button.
        var pressed: String?
        var sound = Sound.off
    }

    private enum Sound: Sendable {
        case off, desktop, bell
        case program(String)
    }

    /// The time for pressing a button.
    private static let patience = Duration.seconds(20)

    /// Shows the notification and prints the result.
    ///
    /// - Throws: `CommandFailure` if it can't be shown.
    func run(in context: CommandContext) throws(CommandFailure) {
        let home = try mapFailure { () throws(DeviceFailure) in try Home(context.environment) }
        let device = try context.readDevice()
        let environment = AgentCheck(context.agent(of: home), home).environment ?? context.environment
        let hasSound = device.map { (try? LaptopSetting.sound.isOn($0.store)) ?? true } ?? true
        let console = context.console
        let tell = { @Sendable (text: String) in console.report(text) }
        let result: Trial? = LoopTask.run { loop, finish in
            NotifyCommand.run(loop, environment, hasSound: hasSound, tell, finish)
        }
        guard let trial = result else {
            throw CommandFailure("The notification can't be shown: this process can have no thread.")
        }
        try context.print(console.prose(NotifyCommand.soundText(trial.sound, environment) + "\n"))
        if let failure = trial.failure {
            throw CommandFailure(
                "The notification can't be shown: \(failure.words). 'focus doctor' may know more.")
        }
        try context.print(console.prose(NotifyCommand.shownText(trial) + "\n"))
    }

    private static func shownText(_ trial: Trial) -> String {
        switch (trial.hasButtons, trial.pressed) {
        case (nil, _):
            "\(NotificationProgram.name) has shown the notification. It has no buttons without the desktop's bus."
        case (false?, _): "The desktop has shown the notification. It has no buttons there."
        case (true?, let title?): "The notification was shown, and its button '\(title)' works."
        case (true?, nil):
            "The notification was shown with buttons. None was pressed within \(patience.components.seconds) seconds."
        }
    }

    private static func soundText(_ sound: Sound, _ environment: Environment) -> String {
        switch sound {
        case .off: "The sound is off. To switch it on: focus set sound=on"
        case .desktop: "The desktop plays the sound."
        case .program(let name): "\(name) has played the sound."
        case .bell:
            NotificationCheck.soundObstacle(in: environment).map {
                "Only the full screen rings, with the terminal's bell, and an open page: \($0.reason). \($0.remedy)."
            } ?? "No program could play the sound, so only the full screen and an open page ring."
        }
    }

    // MARK: - On the loop

    private static func run(
        _ loop: EventLoop, _ environment: Environment, hasSound: Bool,
        _ tell: @escaping @Sendable (String) -> Void, _ finish: @escaping (Trial) -> Void
    ) {
        let bus = BusConnection(BusAddress.session(environment), on: loop)
        loop.keepAlive(bus)
        let time = LoopTime(loop)
        let start: ProgramStarter = { words, ended throws(NetError) in
            let process = try ChildProcess(words, discarding: .all, on: loop, ended: ended)
            return { process.signal(9) }
        }
        let sound = SoundPlayer.file(in: environment)
        var trial = Trial()
        // Whether only a button is left to wait for.
        var isWaiting = false
        let display = NotificationDaemon(
            bus, time, orElse: NotificationProgram(start: start), soundFile: sound
        ) { button, _ in
            trial.pressed = button.title
            if isWaiting { finish(trial) }
        }
        loop.keepAlive(display)
        // Runs after the sound, or at once if none is played. Waits if a button can still be pressed.
        func finishOrAwaitButton() {
            guard trial.failure == nil, trial.hasButtons == true, trial.pressed == nil else {
                return finish(trial)
            }
            isWaiting = true
            tell("Press one of the notification's buttons.")
            loop.schedule(after: patience) {
                display.withdraw()
                // The request is sent before the loop ends.
                loop.schedule(after: .milliseconds(100)) { finish(trial) }
            }
        }
        let player = SoundPlayer(
            time, file: sound, in: environment, start: start,
            didPlay: { program in
                trial.sound = .program(program)
                finishOrAwaitButton()
            },
            ring: {
                trial.sound = .bell
                finishOrAwaitButton()
            })
        loop.keepAlive(player)
        _ = display.show(.trial, hasSound ? .bell : .none) { outcome in
            trial.hasButtons = display.capabilities.map { $0.contains("actions") }
            switch outcome {
            case .shown(let isPlayed):
                guard hasSound else { return finishOrAwaitButton() }
                guard isPlayed else { return player.play() }
                trial.sound = .desktop
                finishOrAwaitButton()
            case .failed(let trouble):
                trial.failure = trouble
                if hasSound { player.play() } else { finishOrAwaitButton() }
            case .withdrawn: finish(trial)
            }
        }
    }
}
