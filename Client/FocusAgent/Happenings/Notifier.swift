import FocusCore
package import FocusDevice
package import FocusNet
package import FocusWords

/// Shows notifications by the desktop's own program, one at a time and one a second at most: of what waits, the newest
/// takes the place of those before it.
///
/// It lives on one thread and waits for nothing. It starts no program before a moment has passed: a press shows
/// everywhere first, and those that come right after it are one notification.
package final class Notifier {
    private let time: any Timekeeper
    private let start: Starter
    private let ring: () -> Void
    private let say: (NotifierTrouble) -> Void
    /// One that is lasting, one that isn't, or both, in this order.
    private var waiting: [Waiting] = []
    private var alarm: (any Alarm)?
    private var isShowing = false
    /// When a program may be started again.
    private var rest = SteadyInstant.zero
    private var hasFailed = false

    private struct Waiting {
        let notification: Notification
        let hasSound: Bool
        var isRinging: Bool
    }

    /// Starts a program by its words, and gives what kills it; what comes last is called once it has ended.
    package typealias Starter = (
        [String], @escaping (ChildProcess.End) -> Void
    ) throws(NetError) -> () -> Void

    /// How long a notification waits at least.
    private static let lull = Duration.milliseconds(200)
    /// How long it is from one program's start to the next.
    private static let pace = Duration.seconds(1)
    /// A desktop that doesn't answer is waited for no longer.
    private static let patience = Duration.seconds(10)

    /// - Parameters:
    ///   - time: Of the thread that it lives on.
    ///   - start: Starts the program.
    ///   - ring: Makes a sound instead of a notification that can't be shown.
    ///   - say: Is told once why notifications can't be shown.
    package init(
        _ time: any Timekeeper, start: @escaping Starter, ring: @escaping () -> Void,
        say: @escaping (NotifierTrouble) -> Void
    ) {
        self.time = time
        self.start = start
        self.ring = ring
        self.say = say
    }

    /// Shows a notification soon, unless a newer one comes first.
    ///
    /// - Parameter isRinging: Whether a bell is rung if it can't be shown.
    package func show(_ notification: Notification, withSound hasSound: Bool, ringing isRinging: Bool) {
        let former = waiting.first { $0.notification.isLasting == notification.isLasting }
        waiting.removeAll { $0.notification.isLasting == notification.isLasting }
        let newest = Waiting(
            notification: notification, hasSound: hasSound,
            isRinging: isRinging || former?.isRinging == true)
        waiting.insert(newest, at: notification.isLasting ? 0 : waiting.count)
        showLater()
    }

    private func showLater() {
        guard !isShowing, alarm == nil, !waiting.isEmpty else { return }
        alarm = time.schedule(after: max(Notifier.lull, rest - time.now())) { [weak self] in
            self?.alarm = nil
            self?.showNext()
        }
    }

    private func showNext() {
        let next = waiting.removeFirst()
        let words = Notifier.words(next.notification, next.hasSound)
        isShowing = true
        rest = time.now() + Notifier.pace
        do throws(NetError) {
            var limit: (any Alarm)?
            let kill = try start(words) { [weak self] end in
                limit?.cancel()
                self?.ended(next, end == .exited(0) ? nil : .ended(program: Notifier.program, end))
            }
            limit = time.schedule(after: Notifier.patience, kill)
        } catch {
            ended(next, .notStarted(error))
        }
    }

    /// A notification was shown, or wasn't because of some trouble; which is said once, as mostly there is no desktop.
    private func ended(_ shown: Waiting, _ trouble: NotifierTrouble?) {
        isShowing = false
        if let trouble {
            if !hasFailed { say(trouble) }
            hasFailed = true
            if shown.isRinging { ring() }
        }
        showLater()
    }

    // MARK: - The desktop's program

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
