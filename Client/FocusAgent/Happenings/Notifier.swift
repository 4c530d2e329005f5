import FocusNet
import FocusWords

/// Shows notifications by the desktop's own program.
///
/// It lives on the loop's thread and waits for nothing.
package final class Notifier {
    private let loop: EventLoop
    private let say: (String) -> Void
    private var hasFailed = false

    init(on loop: EventLoop, say: @escaping (String) -> Void) {
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
                self?.failed("\(words.first ?? "") \(end)")
                fallBack()
            }
            // A desktop that doesn't answer isn't waited for.
            loop.schedule(after: .seconds(10)) { process.signal(9) }
        } catch {
            failed(error.context)
            fallBack()
        }
    }

    /// Says why notifications can't be shown, once: mostly there is no desktop.
    private func failed(_ reason: String) {
        if !hasFailed { say("notifications can't be shown: \(reason)") }
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
