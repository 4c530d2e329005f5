package import FocusCore
package import FocusDevice
import FocusFront
import FocusWords

/// A line of the settings' form.
package enum SettingRow: Hashable, Sendable {
    /// A setting for all laptops.
    case shared(SettingKey)
    /// One of this laptop's own.
    case own(LaptopSetting)

    /// All of them, in the form's order.
    package static let all =
        SettingKey.allCases.map(SettingRow.shared) + LaptopSetting.allCases.map(SettingRow.own)

    /// What it is kept by.
    package var name: String {
        switch self {
        case .shared(let key): key.rawValue
        case .own(let setting): setting.rawValue
        }
    }

    /// The line of this name; nil where there is none.
    package init?(_ name: String) {
        guard let row = SettingRow.all.first(where: { $0.name == name }) else { return nil }
        self = row
    }

    /// What the setting is called in the form.
    var title: String {
        switch self {
        case .shared(let key): key.title
        case .own(let setting): setting.title
        }
    }
}
