import FocusDevice

extension LaptopSetting {
    /// What the setting is, to be read after its name.
    package var summary: String {
        switch self {
        case .notifications: "whether this laptop notifies you of phases that end, and of what others do"
        case .sound: "whether they make a sound; without them the full screen rings the terminal's bell"
        case .sleep: "whether time that this laptop sleeps through pauses the session, or is kept"
        }
    }

    /// What the setting is called in a form.
    package var title: String {
        switch self {
        case .notifications: "Notifications"
        case .sound: "Sound"
        case .sleep: "Time asleep during work"
        }
    }

    /// The words of its values.
    package var words: SwitchWords { self == .sleep ? SwitchWords(on: values.on, off: values.off) : .onOff }
}
