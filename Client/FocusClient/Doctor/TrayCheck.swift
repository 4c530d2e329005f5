import FocusDevice
import FocusTray
import SystemKit

/// The check that the icon can be in the desktop's tray, if it is wanted.
struct TrayCheck {
    let device: Device
    /// The environment variables of the agent, which shows the icon.
    let environment: Environment

    /// The finding about the tray; empty if the icon is switched off.
    var findings: [Finding] {
        guard (try? LaptopSetting.tray.isOn(device.store)) ?? false else { return [] }
        switch SessionBus(environment).query(for: TrayIcon.watcherName) {
        case .notAsked: return []
        case .startable, .daemon: return [.fine(.tray, "The desktop has a tray for the icon.")]
        case .noLibrary:
            return [finding("libdbus can't be opened", "Install it (Debian's libdbus-1-3)")]
        case .noDaemon:
            return [
                finding(
                    "no panel has a tray for it",
                    "Start a panel with one (on GNOME, the extension AppIndicator makes one)")
            ]
        case .noBus, .noAnswer:
            return [
                finding(
                    "the agent doesn't reach the desktop's bus (DBUS_SESSION_BUS_ADDRESS)",
                    "Start it from the desktop that runs now: focus agent stop, then make any change there")
            ]
        }
    }

    private func finding(_ reason: String, _ remedy: String) -> Finding {
        .note(
            .tray, "The icon can't be shown: \(reason).",
            remedy: "\(remedy), or do without: focus set tray=off")
    }
}
