package import FocusStore

/// A setting of this laptop alone, which the others don't hear of.
package enum LaptopSetting: String, CaseIterable, Hashable, Sendable {
    case notifications
    case sound

    /// What the setting is, to be read after its name.
    var summary: String {
        switch self {
        case .notifications: "whether this laptop notifies of phases that end, and of what others press"
        case .sound: "whether its notifications make a sound"
        }
    }

    private var key: ProfileKey { ProfileKey(rawValue: "setting-\(rawValue)") }

    /// The texts that it can have.
    static let values = ["on", "off"]

    static func text(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    /// Whether it is on, as it is until somebody switches it off.
    package func isOn(_ store: DeviceStore) throws(StoreError) -> Bool { try store.text(key) != "off" }

    /// Switches it.
    package func set(_ isOn: Bool, _ store: DeviceStore) throws(StoreError) {
        try store.setText(LaptopSetting.text(isOn), for: key)
    }
}
