import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusNet
import FocusStore

/// Reports happenings to the person and to hooks.
///
/// It lives on the agent's loop.
final class HappeningReporter {
    private let device: Device
    private let hooks: HookRunner
    private let notifier: Notifier
    private let ring: () -> Void
    private let say: (AgentLogEvent) -> Void
    private var detector: HappeningDetector?

    /// A reporter for a device's agent.
    ///
    /// - Parameters:
    ///   - isCaughtUp: Returns whether happenings may be reported: the others' events have arrived, and no
    ///     suspension may still become a pause.
    ///   - ring: Makes a sound if no notification does.
    ///   - say: Writes to the agent's log.
    init(
        _ device: Device, on loop: EventLoop, isCaughtUp: @escaping () -> Bool,
        ring: @escaping () -> Void, say: @escaping (AgentLogEvent) -> Void
    ) {
        self.device = device
        self.ring = ring
        self.say = say
        hooks = HookRunner(folder: device.home.hooks, on: loop) { say(.hook($0)) }
        notifier = Notifier(
            LoopTime(loop),
            start: { words, ended throws(NetError) in
                let process = try ChildProcess(words, on: loop, ended: ended)
                return { process.signal(9) }
            }, ring: ring, say: { say(.noNotifications($0)) })
        detector = HappeningDetector(device, LoopTime(loop), isCaughtUp: isCaughtUp) { [weak self] in
            self?.tell($0)
        }
    }

    /// Reads the log again: it may have changed, or be complete now.
    func refresh() { attempt { try detector?.refresh() } }

    /// Reports that contradicting presses were resolved.
    func reportConflict(_ message: String) { attempt { try detector?.reportConflict(message) } }

    /// Shows a notification that isn't about a happening, so hooks don't run.
    func notify(_ notification: Notification) { attempt { try show(notification, isRinging: false) } }

    private func tell(_ happenings: [Happening]) {
        attempt {
            let name = try device.name()
            let now = try device.now()
            for happening in happenings { hooks.run(happening, device: name, at: now) }
            let notifications = Notification.all(happenings)
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
        guard try LaptopSetting.notifications.isOn(device.store) else { return isRinging ? ring() : () }
        notifier.show(notification, withSound: hasSound, ringing: isRinging)
    }

    /// Runs `body`. If that throws, writes the error to the agent's log.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { say(.failed(error)) }
    }
}
