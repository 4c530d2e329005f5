package import FocusContact
import FocusCore
package import FocusDevice
package import FocusFront
package import FocusNet

/// Shows notifications by the desktop's own program: one at a time, and at most one a second.
///
/// There are two kinds. A lasting notification (`Notification.isLasting`) stays true after later presses, the
/// other kind doesn't. At most one of each kind waits: a newer one replaces it.
///
/// It belongs to one thread and never blocks. It waits a moment before it starts a program. Meanwhile all
/// screens show the press, and presses in quick succession become one notification.
package final class Notifier {
    private let time: any Scheduler
    private let start: Starter
    private let ring: () -> Void
    private let say: (NotifierTrouble) -> Void
    /// The waiting notifications: at most a lasting one, and after it at most one that isn't lasting.
    private var waiting: [Waiting] = []
    private var alarm: (any Alarm)?
    /// Whether a program is running.
    private var isShowing = false
    /// The earliest time to start a program again.
    private var earliestStart = SteadyInstant.zero
    /// Whether a failure was reported.
    private var hasFailed = false

    private struct Waiting {
        let notification: Notification
        let hasSound: Bool
        var isRinging: Bool
    }

    /// Starts a program with these arguments, and returns a function that kills it. Calls the last parameter
    /// when the program has ended.
    package typealias Starter = (
        [String], @escaping (ChildProcess.End) -> Void
    ) throws(NetError) -> () -> Void

    /// The shortest wait of a notification.
    private static let lull = Duration.milliseconds(200)
    /// The shortest time between the starts of two programs.
    private static let pace = Duration.seconds(1)
    /// The longest time that a desktop's program may take.
    private static let patience = Duration.seconds(10)

    /// A notifier that has nothing to show.
    ///
    /// - Parameters:
    ///   - time: The clock and alarms of its thread.
    ///   - start: Starts the program.
    ///   - ring: Makes a sound in place of a notification that can't be shown.
    ///   - say: Called once, with the reason why notifications can't be shown.
    package init(
        _ time: any Scheduler, start: @escaping Starter, ring: @escaping () -> Void,
        say: @escaping (NotifierTrouble) -> Void
    ) {
        self.time = time
        self.start = start
        self.ring = ring
        self.say = say
    }

    /// Shows a notification soon, unless a newer one replaces it.
    ///
    /// - Parameters:
    ///   - hasSound: Whether the desktop plays a sound with it.
    ///   - isRinging: Whether to ring a bell if it can't be shown.
    package func show(_ notification: Notification, withSound hasSound: Bool, ringing isRinging: Bool) {
        // A notification that replaces another also rings in its place.
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
        alarm = time.schedule(after: max(Notifier.lull, earliestStart - time.now())) { [weak self] in
            self?.alarm = nil
            self?.showNext()
        }
    }

    private func showNext() {
        let next = waiting.removeFirst()
        let command = Notifier.command(next.notification, next.hasSound)
        isShowing = true
        earliestStart = time.now() + Notifier.pace
        do throws(NetError) {
            var timeout: (any Alarm)?
            let kill = try start(command) { [weak self] end in
                timeout?.cancel()
                self?.ended(next, end == .exited(0) ? nil : .ended(program: Notifier.program, end))
            }
            timeout = time.schedule(after: Notifier.patience, kill)
        } catch {
            ended(next, .notStarted(error))
        }
    }

    /// Handles the end of the program. A failure is reported only once, because it usually means that there
    /// is no desktop.
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

    #if os(macOS)
        /// The desktop's program that shows notifications, looked up in PATH.
        static let program = "osascript"
    #else
        /// The desktop's program that shows notifications, looked up in PATH.
        package static let program = "notify-send"
    #endif

    /// Returns the command that shows a notification: the program and its arguments.
    static func command(_ notification: Notification, _ hasSound: Bool) -> [String] {
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

    /// Escapes a body. The specification of desktop notifications allows markup in bodies, so plain text must
    /// not look like markup.
    private static func escaped(_ text: String) -> String {
        text.replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }
}
