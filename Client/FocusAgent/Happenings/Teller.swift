import FocusCore
import FocusDevice
import FocusLink
import FocusNet
import FocusStore
import FocusWords

/// Tells the person, and their hooks, what happens to the session.
///
/// It lives on the agent's loop.
final class Teller {
    private let device: Device
    private let hooks: HookRunner
    private let notifier: Notifier
    private let ring: () -> Void
    private let say: (AgentLogEvent) -> Void
    private var watch: HappeningWatch?

    /// - Parameters:
    ///   - isCaughtUp: whether all that others pressed meanwhile is here.
    ///   - ring: makes a sound where there is no notification to make it.
    ///   - say: tells the agent's log of something.
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
        watch = HappeningWatch(device, LoopTime(loop), isCaughtUp: isCaughtUp) { [weak self] in
            self?.tell($0)
        }
    }

    /// The log may have changed, or what it is compared with is all here now.
    func refresh() { attempt { try watch?.refresh() } }

    /// Something was done about presses that contradicted each other.
    func conflict(_ message: String) { attempt { try watch?.conflict(message) } }

    /// Something that only the person is to be told of.
    func notify(_ notification: Notification) { attempt { try show(notification, isRinging: false) } }

    private func tell(_ happenings: [Happening]) {
        attempt {
            let name = try device.name()
            let now = try device.now()
            for happening in happenings { hooks.run(happening, device: name, at: now) }
            guard let notification = Notification(happenings) else { return }
            try show(notification, isRinging: happenings.contains(where: \.isPhaseEndByTime))
        }
    }

    /// - Parameter isRinging: whether a bell is rung where the notification can't be shown.
    private func show(_ notification: Notification, isRinging: Bool) throws {
        let hasSound = try LaptopSetting.sound.isOn(device.store)
        let isRinging = hasSound && isRinging
        guard try LaptopSetting.notifications.isOn(device.store) else { return isRinging ? ring() : () }
        notifier.show(notification, withSound: hasSound, ringing: isRinging)
    }

    /// Does something that may fail, which the log then says.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { say(.failed(error)) }
    }
}
