import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusFront

/// An argument of `set`: a setting to show or to change.
package enum SettingRequest: Hashable, Sendable {
    // Settings for all laptops.
    case show(SettingKey)
    case change(SettingKey, to: Int64)
    // Settings of this laptop only.
    case showOwn(LaptopSetting)
    case changeOwn(LaptopSetting, to: LaptopSetting.Value)

    /// All settings; the settings for all laptops are first.
    static var all: [SettingRequest] {
        SettingKey.allCases.map { .show($0) } + LaptopSetting.allCases.map { .showOwn($0) }
    }

    /// The setting's name.
    var name: String {
        switch self {
        case .show(let key), .change(let key, _): key.rawValue
        case .showOwn(let setting), .changeOwn(let setting, _): setting.rawValue
        }
    }

    /// Whether the request changes the setting.
    var isChange: Bool {
        switch self {
        case .change, .changeOwn: true
        case .show, .showOwn: false
        }
    }
}

extension ArgumentType where Value == SettingRequest {
    /// `KEY` or `KEY=VALUE`.
    static var settingRequest: ArgumentType {
        let shared = SettingKey.allCases.map { key in
            CompletionKey(
                CompletionItem(key.rawValue, SettingText.summary(of: key)),
                values: SettingText.values(of: key))
        }
        let own = LaptopSetting.allCases.map { setting in
            CompletionKey(CompletionItem(setting.rawValue, setting.summary), values: setting.choices)
        }
        return ArgumentType(name: "KEY[=VALUE]", note: DurationText.rule, offer: .assignments(shared + own)) {
            word throws(ValueProblem) in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? word
            let text = parts.count > 1 ? parts.last.map(String.init) : nil
            if let key = SettingKey(rawValue: name) { return try request(key, text) }
            if let setting = LaptopSetting(rawValue: name) { return try request(setting, text) }
            let names = SettingRequest.all.map(\.name)
            let suggestion = Suggestion.sentence(for: name, among: names)
            throw ValueProblem(
                "is not a setting."
                    + (suggestion.isEmpty
                        ? " The settings are: \(names.joined(separator: ", ")). To change one: workLength=50m."
                        : suggestion))
        }
    }

    private static func request(_ key: SettingKey, _ text: String?) throws(ValueProblem) -> SettingRequest {
        guard let text else { return .show(key) }
        guard let value = SettingText.value(of: key, in: text) else {
            let wrong = SettingText.wrongPart(of: key, in: text).map { "\($0) " } ?? ""
            let verb = key == .daysOff ? "are" : "is"
            throw ValueProblem("isn't allowed: \(wrong)\(key.rawValue) \(verb) \(SettingText.range(of: key))")
        }
        return .change(key, to: value)
    }

    private static func request(
        _ setting: LaptopSetting, _ text: String?
    ) throws(ValueProblem) -> SettingRequest {
        guard let text else { return .showOwn(setting) }
        guard let value = setting.value(in: text) else {
            throw ValueProblem("isn't allowed: \(setting.rawValue) is \(setting.range)")
        }
        return .changeOwn(setting, to: value)
    }
}
