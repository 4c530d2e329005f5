import DBusKit
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusNet
import FocusStore
import SystemKit

/// Reports happenings to the person and to hooks.
///
/// It lives on the agent's loop.
final class HappeningReporter {
    private let device: Device
    private let hooks: HookRunner
    private let player: SoundPlayer
    private let presser: Presser
    private let say: (AgentLogEvent) -> Void
    private var notifier: Notifier?
    private var display: NotificationDaemon?
    private var detector: HappeningDetector?
    /// The number of events in the log when the last notification was made.
    private var eventCount: UInt64 = 0
    /// The open question about an absence; nil if there is none.
    private var question: AbsenceQuestion?

    /// The agent's part in a press that is made on a notification.
    struct Presser {
        /// Called before the press.
        let recordSuspension: () -> Void
        /// Called after the press.
        let announceChanges: () -> Void
    }

    /// A reporter for a device's agent.
    ///
    /// - Parameters:
    ///   - isCaughtUp: Returns whether happenings may be reported: the others' events have arrived, and no
    ///     suspension may still become a pause.
    ///   - bus: The desktop's bus.
    ///   - environment: The agent's variables.
    ///   - ring: Rings a terminal's bell.
    ///   - say: Writes to the agent's log.
    init(
        _ device: Device, on loop: EventLoop, _ bus: any MessageBus, _ environment: Environment,
        isCaughtUp: @escaping () -> Bool, presser: Presser, ring: @escaping () -> Void,
        say: @escaping (AgentLogEvent) -> Void
    ) {
        self.device = device
        self.presser = presser
        let time = LoopTime(loop)
        let start: ProgramStarter = { words, ended throws(NetError) in
            let process = try ChildProcess(words, discarding: .all, on: loop, ended: ended)
            return { process.signal(9) }
        }
        let sound = SoundPlayer.file(in: environment)
        let player = SoundPlayer(time, file: sound, in: environment, start: start, ring: ring)
        self.player = player
        self.say = say
        hooks = HookRunner(folder: device.home.hooks, on: loop) { say(.hook($0)) }
        let display = NotificationDaemon(
            bus, time, orElse: NotificationProgram(start: start), soundFile: sound
        ) { [weak self] in self?.press($0, on: $1) }
        self.display = display
        notifier = Notifier(
            time, on: display, ring: { player.play() },
            say: { say($0.map { AgentLogEvent.noNotifications($0) } ?? .notifies) })
        detector = HappeningDetector(device, time, isCaughtUp: isCaughtUp) { [weak self] in
            self?.tell($0)
        }
    }

    /// Reads the log again: it may have changed, or be complete now. Removes a notification about a timer that
    /// has changed since, or with a text that isn't true any more.
    func refresh() {
        attempt { try detector?.refresh() }
        guard notifier?.isAboutTimer == true else { return }
        attempt {
            let present = TimerState(try device.store.state(), at: try device.now())
            notifier?.withdraw(unless: ShownTimer(present))
            notifier?.correct(for: present)
        }
    }

    /// Whether the bell's sound is made here at a phase's end if the sound is on: by the desktop or by a program,
    /// as far as is known.
    var makesSound: Bool {
        let isNotifying = (try? LaptopSetting.notifications.isOn(device.store)) ?? false
        return player.canPlay || isNotifying && display?.capabilities?.contains("sound") == true
    }

    /// Removes the last notification: nobody would answer its buttons.
    func stop() { notifier?.withdraw() }

    /// Reports that contradicting presses were resolved.
    func reportConflict(_ message: String) { attempt { try detector?.reportConflict(message) } }

    /// Shows a notification that isn't about a happening, so hooks don't run.
    func notify(_ notification: Notification) { attempt { try show(notification, isRinging: false) } }

    /// Asks about an absence. Without a question, removes the notification that asked.
    func ask(_ question: AbsenceQuestion?) {
        self.question = question
        if let question { notify(Notification(about: question)) } else { notifier?.withdrawQuestion() }
    }

    private func tell(_ happenings: [Happening]) {
        attempt {
            let name = try device.name()
            let now = try device.now()
            for happening in happenings { hooks.run(happening, device: name, at: now) }
            let notifications = Notification.all(happenings)
            if !notifications.isEmpty { eventCount = try device.store.state().eventCount }
            let isRinging = happenings.contains(where: \.isRinging)
            // The last one is about the happening that rings.
            for (place, notification) in notifications.enumerated() {
                try show(notification, isRinging: isRinging && place == notifications.count - 1)
            }
        }
    }

    /// Shows a notification, if the person wants notifications.
    ///
    /// - Parameter isRinging: Whether to ring a bell if it can't be shown.
    private func show(_ notification: Notification, isRinging: Bool) throws {
        let hasSound = try LaptopSetting.sound.isOn(device.store)
        let isRinging = hasSound && isRinging
        guard try LaptopSetting.notifications.isOn(device.store) else {
            return isRinging ? player.play() : ()
        }
        notifier?.show(notification, withSound: hasSound, ringing: isRinging)
    }

    /// Carries out a button's press, if the notification is still about the present timer. An undo also needs
    /// an unchanged log, because it finds its press there. An answer needs the same question.
    private func press(_ button: NotificationButton, on screen: ScreenTimer?) {
        attempt {
            presser.recordSuspension()
            do throws(PerformFailure) {
                switch button.request {
                case .press(let interaction):
                    guard let screen else { return }
                    if button == .undo { try device.checkUndo(on: screen, events: eventCount) }
                    _ = try device.perform(interaction, consent: .named, seen: screen)
                case .answer(let answer):
                    guard let question else { throw PerformFailure.notNow(.nothingAsked) }
                    _ = try device.answer(answer, to: question)
                }
                presser.announceChanges()
            } catch {
                try show(Notification(about: error, in: device.home), isRinging: false)
            }
        }
    }

    /// Runs `body`. If that throws, writes the error to the agent's log.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { say(.failed(error)) }
    }
}
