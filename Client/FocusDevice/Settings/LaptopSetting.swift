import FocusCore
package import FocusStore

/// A setting of this laptop only, which isn't shared with the group.
package enum LaptopSetting: String, CaseIterable, Hashable, Sendable {
    case notifications
    case sound
    case warnBefore
    case sleep
    case idle
    case theme
    case accent
    case tray

    /// A value of a setting.
    package enum Value: Hashable, Sendable {
        case on, off
        /// A length of time, for a setting with `lengths`. Such a setting is never `on`.
        case length(Duration)
        /// One of the setting's `names`. Such a setting is never `on` or `off`.
        case name(String)
    }

    /// The texts of the values `on` and `off`. They are stored, and people read and write them.
    package var values: (on: String, off: String) {
        switch self {
        case .notifications, .sound, .warnBefore, .theme, .accent, .tray: ("on", "off")
        case .sleep: ("pause", "keep")
        case .idle: ("ask", "off")
        }
    }

    /// The lengths that the setting may have instead of `off`; nil if it is a switch.
    package var lengths: ClosedRange<Duration>? {
        switch self {
        case .notifications, .sound, .sleep, .idle, .theme, .accent, .tray: nil
        case .warnBefore: Duration.seconds(10)...Duration.seconds(3600)
        }
    }

    /// The names that the setting may have instead of `on` and `off`, the initial one first; nil if it has no
    /// names. They are stored, and people read and write them.
    package var names: [String]? {
        switch self {
        case .notifications, .sound, .warnBefore, .sleep, .idle, .tray: nil
        case .theme: Appearance.Background.allCases.map { $0.rawValue }
        case .accent: Appearance.Accent.allCases.map { $0.rawValue }
        }
    }

    /// The value until somebody changes it.
    package var initial: Value {
        if let name = names?.first { return .name(name) }
        return lengths != nil || self == .tray ? .off : .on
    }

    private var key: StoredValueKey { StoredValueKey(rawValue: "setting-\(rawValue)") }

    /// Returns the setting's value in a laptop's store.
    package func value(_ store: DeviceStore) throws(StoreError) -> Value {
        guard let text = try store.text(key) else { return initial }
        if let names { return names.contains(text) ? .name(text) : initial }
        guard let lengths else { return text == values.off ? .off : .on }
        guard let count = Int64(text), lengths.contains(.seconds(count)) else { return .off }
        return .length(.seconds(count))
    }

    /// Whether the setting isn't off.
    package func isOn(_ store: DeviceStore) throws(StoreError) -> Bool { try value(store) != .off }

    /// Returns the values of all settings.
    package static func values(_ store: DeviceStore) throws(StoreError) -> LaptopSettings {
        var values: LaptopSettings = [:]
        for setting in allCases { values[setting] = try setting.value(store) }
        return values
    }

    /// Changes the setting.
    package func set(_ value: Value, _ store: DeviceStore) throws(StoreError) {
        let text =
            switch value {
            case .on: values.on
            case .off: values.off
            case .length(let length): "\(length.inSeconds)"
            case .name(let name): name
            }
        try store.setText(text, for: key)
    }
}

/// Values of a laptop's own settings. A setting that is left out has its initial value.
package typealias LaptopSettings = [LaptopSetting: LaptopSetting.Value]
