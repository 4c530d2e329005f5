import FocusContact
package import FocusFront
package import FocusNet

/// Starts a program with these arguments, and returns a function that kills it. Calls the last parameter when
/// the program has ended.
package typealias ProgramStarter = (
    [String], @escaping (ChildProcess.End) -> Void
) throws(NetError) -> () -> Void

/// Shows notifications by the desktop's own program, without buttons.
package final class NotificationProgram: NotificationDisplay {
    private let start: ProgramStarter

    /// A display that starts the program for each notification.
    package init(start: @escaping ProgramStarter) { self.start = start }

    /// Starts the program, and waits for its end.
    package func show(
        _ notification: Notification, _ sound: NotificationSound,
        ended: @escaping (NotificationOutcome) -> Void
    ) -> () -> Void {
        do throws(NetError) {
            return try start(NotificationProgram.command(notification, sound)) { end in
                // The program doesn't tell whether the desktop plays sounds, so it never plays the bell.
                ended(
                    end == .exited(0)
                        ? .shown(hasSound: false) : .failed(.ended(program: NotificationProgram.name, end)))
            }
        } catch {
            ended(.failed(.notStarted(error)))
            return {}
        }
    }

    /// Does nothing: the program knows only how to show.
    package func withdraw() {}

    #if os(macOS)
        /// The desktop's program that shows notifications, looked up in PATH.
        package static let name = "osascript"
    #else
        /// The desktop's program that shows notifications, looked up in PATH.
        package static let name = "notify-send"
    #endif

    /// Returns the command that shows a notification: the program and its arguments.
    static func command(_ notification: Notification, _ sound: NotificationSound) -> [String] {
        #if os(macOS)
            // The texts are arguments of the script, so that nothing in them is taken for a part of it.
            let sound = sound == .usual ? " sound name \"Glass\"" : ""
            return [
                name, "-e", "on run argv", "-e",
                "display notification (item 2 of argv) with title (item 1 of argv)\(sound)", "-e", "end run",
                notification.title, notification.bodyWithoutButtons,
            ]
        #else
            let sound = sound == .usual ? "string:sound-name:complete" : "boolean:suppress-sound:true"
            return [
                name, "--app-name=Lockstep", "--icon=lockstep", "--hint=string:desktop-entry:lockstep",
                "--hint=string:x-dunst-stack-tag:focus", "--hint=\(sound)",
                "--", notification.title, notification.bodyWithoutButtons.escapedAsMarkup,
            ]
        #endif
    }
}

extension String {
    /// The text in the markup of desktop notifications, so that plain text doesn't look like markup.
    var escapedAsMarkup: String { replacing(["&": "&amp;", "<": "&lt;", ">": "&gt;"]) }
}
