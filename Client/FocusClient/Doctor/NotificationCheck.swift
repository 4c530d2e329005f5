import FocusAgent
import FocusDevice
import FocusStore
import SystemKit

/// Whether the program is there that shows notifications, where they are wanted.
struct NotificationCheck {
    let device: Device
    let environment: Environment

    /// Nothing where it is there, or nobody wants it.
    var findings: [Finding] {
        // Without it nobody knows where programs are looked for.
        guard let folders = environment["PATH"],
            (try? LaptopSetting.notifications.isOn(device.store)) ?? false
        else {
            return []
        }
        let isThere = folders.split(separator: ":").contains {
            access("\($0)/\(Notifier.program)", X_OK) == 0
        }
        guard !isThere else { return [] }
        return [
            .note(
                .notifications,
                "Notifications can't be shown: \(Notifier.program) isn't in any folder of PATH.",
                remedy: "Install it (Debian's libnotify-bin), or do without: focus set notifications=off")
        ]
    }
}
