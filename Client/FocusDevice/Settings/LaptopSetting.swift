package import FocusStore

/// A setting of this laptop alone, which the others don't hear of.
package enum LaptopSetting: String, CaseIterable, Hashable, Sendable {
    case notifications
    case sound
    case sleep

    /// Its values as they are kept, and as people read and write them; on is what it is at first.
    package var values: (on: String, off: String) {
        switch self {
        case .notifications, .sound: ("on", "off")
        case .sleep: ("pause", "keep")
        }
    }

    private var key: ProfileKey { ProfileKey(rawValue: "setting-\(rawValue)") }

    /// Whether it is on, as it is until somebody switches it off.
    package func isOn(_ store: DeviceStore) throws(StoreError) -> Bool { try store.text(key) != values.off }

    /// Those that are on.
    package static func on(_ store: DeviceStore) throws(StoreError) -> Set<LaptopSetting> {
        var on: Set<LaptopSetting> = []
        for setting in allCases where try setting.isOn(store) { on.insert(setting) }
        return on
    }

    /// Switches it.
    package func set(_ isOn: Bool, _ store: DeviceStore) throws(StoreError) {
        try store.setText(isOn ? values.on : values.off, for: key)
    }
}
