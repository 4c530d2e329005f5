package import FocusStore

/// A setting of this laptop only, which isn't shared with the group.
package enum LaptopSetting: String, CaseIterable, Hashable, Sendable {
    case notifications
    case sound
    case sleep

    /// The texts of the two values. They are stored, and people read and write them. The default is on.
    package var values: (on: String, off: String) {
        switch self {
        case .notifications, .sound: ("on", "off")
        case .sleep: ("pause", "keep")
        }
    }

    private var key: ProfileKey { ProfileKey(rawValue: "setting-\(rawValue)") }

    /// Whether the setting is on. It is until somebody switches it off.
    package func isOn(_ store: DeviceStore) throws(StoreError) -> Bool { try store.text(key) != values.off }

    /// Returns the settings that are on.
    package static func on(_ store: DeviceStore) throws(StoreError) -> Set<LaptopSetting> {
        var on: Set<LaptopSetting> = []
        for setting in allCases where try setting.isOn(store) { on.insert(setting) }
        return on
    }

    /// Switches the setting on or off.
    package func set(_ isOn: Bool, _ store: DeviceStore) throws(StoreError) {
        try store.setText(isOn ? values.on : values.off, for: key)
    }
}
