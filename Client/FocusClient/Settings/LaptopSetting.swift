package import FocusStore

/// A setting of this laptop alone, which the others don't hear of.
package enum LaptopSetting: String, CaseIterable, Hashable, Sendable {
    case notifications
    case sound
    case sleep

    /// What the setting is, to be read after its name.
    package var summary: String {
        switch self {
        case .notifications: "whether this laptop notifies you of phases that end, and of what others do"
        case .sound: "whether they make a sound; without them the full screen rings the terminal's bell"
        case .sleep: "whether time that this laptop sleeps through pauses the session, or is kept"
        }
    }

    /// What the setting is called in a form.
    var title: String {
        switch self {
        case .notifications: "Notifications"
        case .sound: "Sound"
        case .sleep: "Time asleep during work"
        }
    }

    /// Its values; the first is what it is at first.
    package var words: SwitchWords {
        switch self {
        case .notifications, .sound: .onOff
        case .sleep: SwitchWords(on: "pause", off: "keep")
        }
    }

    private var key: ProfileKey { ProfileKey(rawValue: "setting-\(rawValue)") }

    /// Whether it is on, as it is until somebody switches it off.
    package func isOn(_ store: DeviceStore) throws(StoreError) -> Bool { try store.text(key) != words.off }

    /// Those that are on.
    package static func on(_ store: DeviceStore) throws(StoreError) -> Set<LaptopSetting> {
        var on: Set<LaptopSetting> = []
        for setting in allCases where try setting.isOn(store) { on.insert(setting) }
        return on
    }

    /// Switches it.
    package func set(_ isOn: Bool, _ store: DeviceStore) throws(StoreError) {
        try store.setText(words.text(isOn), for: key)
    }
}
