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
        notifier = Notifier(on: loop) { say(.noNotifications($0)) }
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
        let ring = hasSound && isRinging ? ring : {}
        guard try LaptopSetting.notifications.isOn(device.store) else { return ring() }
        notifier.show(notification, withSound: hasSound, orElse: ring)
    }

    /// Does something that may fail, which the log then says.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { say(.failed(error)) }
    }
}

/// Shows notifications by the desktop's own program.
///
/// It lives on the loop's thread and waits for nothing.
package final class Notifier {
    private let loop: EventLoop
    private let say: (NotifierTrouble) -> Void
    private var hasFailed = false

    /// - Parameter say: is told once why notifications can't be shown.
    init(on loop: EventLoop, say: @escaping (NotifierTrouble) -> Void) {
        self.loop = loop
        self.say = say
    }

    /// - Parameter fallBack: called where it can't be shown.
    func show(
        _ notification: Notification, withSound hasSound: Bool, orElse fallBack: @escaping () -> Void
    ) {
        do throws(NetError) {
            let words = Notifier.words(notification, hasSound)
            let process = try ChildProcess(words, on: loop) { [weak self] end in
                guard end != .exited(0) else { return }
                self?.failed(.ended(program: words.first ?? "", end))
                fallBack()
            }
            // A desktop that doesn't answer isn't waited for.
            loop.schedule(after: .seconds(10)) { process.signal(9) }
        } catch {
            failed(.notStarted(error))
            fallBack()
        }
    }

    /// Says why notifications can't be shown, once: mostly there is no desktop.
    private func failed(_ trouble: NotifierTrouble) {
        if !hasFailed { say(trouble) }
        hasFailed = true
    }

    /// What shows notifications.
    #if os(macOS)
        static let program = "osascript"
    #else
        /// The desktop's program that shows notifications, looked for in PATH.
        package static let program = "notify-send"
    #endif

    /// What is run to show one.
    static func words(_ notification: Notification, _ hasSound: Bool) -> [String] {
        #if os(macOS)
            // The texts are arguments of the script, so that nothing in them is taken for a part of it.
            let sound = hasSound ? " sound name \"Glass\"" : ""
            return [
                program, "-e", "on run argv", "-e",
                "display notification (item 2 of argv) with title (item 1 of argv)\(sound)", "-e", "end run",
                notification.title, notification.body,
            ]
        #else
            let sound = hasSound ? "string:sound-name:complete" : "boolean:suppress-sound:true"
            return [
                program, "--app-name=Lockstep", "--hint=string:x-dunst-stack-tag:focus", "--hint=\(sound)",
                "--", notification.title, escaped(notification.body),
            ]
        #endif
    }

    /// A body may hold markup by the desktop notifications' specification.
    private static func escaped(_ text: String) -> String {
        text.replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }
}
